// Addresses of git servers: which are allowed, and how they are displayed.
import { SdkError } from '../../../core/errors.ts';

/**
 * Returns the address for the config, without trailing slashes. @throws SdkError `invalid-input`,
 * and `unsupported-environment` for protocols that need a shell
 */
export function checkRemoteUrl(text: string): string {
  // ssh's short form `git@example.com:a/b` isn't a URL.
  const [, host, path] = /^(?:[^/@:]+@)?([^/@:]+):(?!\/\/)(.+)$/u.exec(text) ?? [];
  if (host !== undefined && path !== undefined && !/^[a-z]:?$/iu.test(host)) {
    throw noTransport('ssh', `https://${host}/${path}`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) {
    throw new SdkError(
      'invalid-input',
      'That is no address of a git repository. It looks like https://example.com/owner/name.git; ' +
        'a repository of this workspace is opened by its directory.',
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw noTransport(url.protocol.slice(0, -1), `https://${url.host}${url.pathname}`);
  }
  // Security: addresses end up in configs, logs and messages, so the error doesn't repeat them.
  if (url.username !== '' || url.password !== '') {
    throw new SdkError(
      'invalid-input',
      `The address of ${url.host} holds a user name or a password. Leave them out: the host is asked ` +
        'for credentials when the server wants them.',
      { data: { host: url.host } },
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new SdkError(
      'invalid-input',
      `The address ${showUrl(url)} goes on with ? or #, which no repository's does. Leave that out.`,
    );
  }
  return url.href.replace(/\/+$/u, '');
}

/** Returns the URL without parts that may be secret: query, fragment and user. */
export function showUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** True if nobody can listen: the connection is encrypted or local. */
export function isPrivateWay(url: URL): boolean {
  return (
    url.protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(url.hostname)
  );
}

function noTransport(scheme: string, instead: string): SdkError {
  return new SdkError(
    'unsupported-environment',
    `Git speaks only https and http here, not ${scheme}. Use ${instead} with a token, if the server ` +
      'offers it.',
    { data: { scheme, instead } },
  );
}
