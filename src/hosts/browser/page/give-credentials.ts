// The page's answer to a tool worker whose git server wants to know who asks. create-browser-host.ts loads it
// with the first such question. Credentials go to the one call that asked, and are kept nowhere.
import { throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import type { WorkRequest } from '../../../core/tool/ports.ts';
import { createHostJudge } from '../../../core/access/network-hosts.ts';
import type { GitCredentials, GitCredentialSource } from '../../../workspace/git/remote/network.ts';

export interface CredentialsDesk {
  readonly source: GitCredentialSource;
  /** The page's own: no wildcard of a rule means it. */
  readonly ownHost: string;
}

/**
 * Asks the host's source, and reads what it gives. Security: the worker that asks runs tools. So a
 * call that may not reach the host by its rules gets nothing, whatever the worker says of it.
 *
 * @throws SdkError `permission-denied` for such a call; `bad-usage` where the source gives something else; what
 *   the source rejects with; `aborted`
 */
export async function giveCredentials(
  { source, ownHost }: CredentialsDesk,
  { network }: Pick<WorkRequest, 'network'>,
  host: string,
  signal: AbortSignal,
): Promise<GitCredentials | undefined> {
  throwIfAborted(signal);
  const isHost = URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host;
  const mayReach = (url: string) =>
    network !== undefined && createHostJudge(network, new Set([ownHost]))(new URL(url)) === 'allow';
  // On this machine it may be http.
  if (!isHost || !(mayReach(`https://${host}`) || mayReach(`http://${host}`))) {
    throw new SdkError(
      'permission-denied',
      'The call may not reach the server that it wants credentials for.',
    );
  }
  const given: unknown = await source.credentials(host, { signal });
  throwIfAborted(signal);
  return given === undefined ? undefined : readCredentials(given);
}

/** Only what is known crosses to the worker. Security: what is wrong with it is said without repeating it. */
function readCredentials(given: unknown): GitCredentials {
  const { token, username, password } = Object(given) as Readonly<Record<string, unknown>>;
  if (typeof token === 'string') return { token };
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  throw new SdkError(
    'bad-usage',
    "The host's `credentials` gave neither { token } nor { username, password } of texts.",
  );
}
