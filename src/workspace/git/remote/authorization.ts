// The credentials of one command's requests. They are kept in this object only, while the command
// runs. `hide` removes them from all other text.
import { throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import { encodeBase64 } from '../../../core/bytes/base64.ts';
import type { GitNetwork } from './network.ts';
import { isPrivateWay } from './remote-url.ts';

export class Authorization {
  readonly #network: GitNetwork;
  readonly #url: URL;
  readonly #signal: AbortSignal | undefined;
  #header: string | undefined;
  /** All secret texts, the longest first. */
  #secrets: string[];

  constructor(network: GitNetwork, url: string, signal: AbortSignal | undefined) {
    this.#network = network;
    this.#url = new URL(url);
    this.#signal = signal;
    this.#secrets = Object.values(network.proxy?.headers ?? {}).filter((text) => text !== '');
  }

  headers(): [string, string][] {
    return this.#header === undefined ? [] : [['authorization', this.#header]];
  }

  /**
   * Asks the host for new credentials after a refusal. @throws SdkError `permission-denied` if
   * there are none, or if they are the refused ones
   */
  async renew(): Promise<void> {
    const { host } = this.#url;
    const source = this.#network.credentials;
    if (!source) {
      throw denied(
        host,
        `${host} wants to know who asks, and this host has no credentials for git.`,
      );
    }
    this.#checkWay();
    const given = await source.credentials(host, { signal: this.#signal });
    throwIfAborted(this.#signal);
    if (!given) {
      throw denied(host, `${host} wants to know who asks, and there are no credentials for it.`);
    }
    // With a token as the password, any user name works. GitHub's own tools send this one.
    const name = 'token' in given ? 'x-access-token' : given.username;
    const secret = 'token' in given ? given.token : given.password;
    if (name.includes(':') || /[\r\n]/u.test(name + secret)) {
      throw denied(host, `The credentials for ${host} hold a character that can't be sent.`);
    }
    const encoded = encodeBase64(new TextEncoder().encode(`${name}:${secret}`));
    const header = `Basic ${encoded}`;
    if (header === this.#header) {
      throw denied(
        host,
        `${host} refuses the credentials: they are wrong or have run out. Renew them.`,
      );
    }
    this.#header = header;
    const secrets = new Set([...this.#secrets, secret, encoded].filter((text) => text !== ''));
    this.#secrets = [...secrets].sort((a, b) => b.length - a.length);
  }

  /** Returns the text without credentials. */
  hide(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  }

  /** Security: a password is only sent over an encrypted or local connection. */
  #checkWay(): void {
    const { proxy } = this.#network;
    const isProxyOpen = proxy && URL.canParse(proxy.url) && !isPrivateWay(new URL(proxy.url));
    if (isPrivateWay(this.#url) && !isProxyOpen) return;
    const { host } = isProxyOpen ? new URL(proxy.url) : this.#url;
    throw denied(
      host,
      `Credentials are sent only by https, and ${host} is asked by http. Use https.`,
    );
  }
}

function denied(host: string, message: string): SdkError {
  return new SdkError('permission-denied', message, { data: { host } });
}
