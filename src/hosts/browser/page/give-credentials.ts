// Answers a tool worker whose git server requires credentials. Loaded with the first such request.
// Credentials are passed to the requesting call only, and aren't stored.
import { throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import type { WorkRequest } from '../../../core/tool/ports.ts';
import { createHostJudge } from '../../../core/access/network-hosts.ts';
import type { GitCredentials, GitCredentialSource } from '../../../workspace/git/remote/network.ts';

export interface CredentialsDesk {
  readonly source: GitCredentialSource;
  /** The page's own host, which wildcards in rules don't match. */
  readonly ownHost: string;
}

/**
 * Asks the host's credential source and validates the result. Security: the requesting worker runs
 * tools. So a call that may not reach the host by its rules gets nothing, whatever the worker
 * claims.
 *
 * @throws SdkError `permission-denied` for such a call; `bad-usage` if the source returns something
 * else; what
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
  // On the local machine it may be http.
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

/** Only known fields are sent to the worker. Security: error messages don't repeat the value. */
function readCredentials(given: unknown): GitCredentials {
  const { token, username, password } = Object(given) as Readonly<Record<string, unknown>>;
  if (typeof token === 'string') return { token };
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  throw new SdkError(
    'bad-usage',
    "The host's `credentials` gave neither { token } nor { username, password } of texts.",
  );
}
