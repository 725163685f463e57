// Git's network for one call. Each request is judged by the call's host rules and the host of the git server, even if
// a proxy is between. Loaded by run-handler.ts with the first command of git.
import type { HostAccess } from '../core/access/host-access.ts';
import { SdkError } from '../core/errors.ts';
import type { FetchPort } from '../core/host-ports/fetch-port.ts';
import type { AskedErrand } from '../core/git/git-errand.ts';
import { createHostJudge } from '../core/access/network-hosts.ts';
import type { GitPerson } from '../workspace/git/git.ts';
import type {
  GitCredentialSource,
  GitNetwork,
  GitProxyAddress,
} from '../workspace/git/remote/network.ts';

/** The host's settings for every use of git. */
export interface HostGitSettings {
  /** The proxy for git servers, which send no CORS headers. */
  readonly proxy?: GitProxyAddress;
  /** Called if a server requires authentication. Left out: such a server's refusal is an error. */
  readonly credentials?: GitCredentialSource;
  /** The author of commits if the repository's config has none. */
  readonly author?: GitPerson;
}

/**
 * `access`: undefined allows no host except those that `ask` allows. It is asked about each command
 * first.
 */
export function openGitNetwork(
  port: FetchPort,
  access: HostAccess | undefined,
  { proxy, credentials }: HostGitSettings,
  ask?: (errand: AskedErrand) => Promise<void>,
): GitNetwork {
  const judgeHost = access && createHostJudge(access, new Set(port.ownHosts));
  /** The requests that a person or a rule has allowed. */
  const granted = new Set<string>();
  const judge = (target: URL) => {
    const verdict = judgeHost?.(target) ?? 'ask';
    return verdict === 'ask' && granted.has(target.host) ? 'allow' : verdict;
  };
  return {
    fetch: {
      ...port,
      send(url, init) {
        const target = findTarget(url, proxy);
        const verdict = judge(target);
        if (verdict !== 'allow') throw denied(target, verdict);
        return port.send(url, init);
      },
    },
    ...(proxy && { proxy }),
    ...(credentials && { credentials }),
    ...(ask && {
      before: async (errand, url) => {
        const target = proxy ? new URL(url.replace(/^http:/u, 'https:')) : new URL(url);
        const verdict = judge(target);
        if (verdict === 'deny') throw denied(target, verdict);
        await ask({ ...errand, host: target.host, isHostAllowed: verdict === 'allow' });
        granted.add(target.host);
      },
    }),
  };
}

/** The git server's address. It follows the proxy's address, without its scheme. */
function findTarget(url: string, proxy: GitProxyAddress | undefined): URL {
  const before = proxy && `${proxy.url.replace(/\/+$/u, '')}/`;
  if (before === undefined || !url.startsWith(before)) return new URL(url);
  return new URL(`https://${url.slice(before.length)}`);
}

function denied({ host }: URL, verdict: 'ask' | 'deny'): SdkError {
  return new SdkError(
    'permission-denied',
    verdict === 'deny'
      ? `A permission rule forbids git to reach ${host}.`
      : `Nothing allows git to reach ${host}. Let the user say in a rule that it may.`,
    { data: { host } },
  );
}
