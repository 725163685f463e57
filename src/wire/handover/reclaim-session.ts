// Reclaims a session whose fetching place is lost, by a request to the place from which it was
// fetched.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { SdkError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import { askPlace } from './ask-place.ts';
import type { PlaceOptions } from './ask-place.ts';

/** The session that continues at the place. */
export interface ReclaimedSession {
  readonly sessionId: string;
  /** The session is a new one, a copy of the one that was given away. */
  readonly isCopy: boolean;
}

/**
 * Continues a session at a place after the tab that was fetching it, or has fetched it, was lost
 * for good. If the session wasn't given away yet, the place keeps it, and the lost tab can't fetch
 * it any more. If it was given away, it still belongs to that tab; the place continues with a copy
 * as a new session. So a session never has two owners, even if the tab returns. Idempotent.
 *
 * @throws SdkError `bad-usage` if the place has no session, or one that hasn't left. `worker-lost`
 * if the place can't be reached. Also the place's own errors
 *
 * @example
 * ```ts
 * await reclaimSession(url, { ticket: () => fetchTicket(url) });
 * const session = await connectSession(url, { ticket: () => fetchTicket(url) });
 * ```
 */
export async function reclaimSession(
  url: string,
  options: PlaceOptions,
): Promise<ReclaimedSession> {
  checkOptionNames('reclaimSession', options, knownOptions);
  const ask = askPlace(url, options);
  const { session: left } = await ask('look', { session: '', move: createId() }, {});
  if (left === undefined) {
    throw new SdkError('bad-usage', `There is no session at ${url}.`, { data: { url } });
  }
  const about = { session: left, move: createId() };
  const { session, isCopy = session !== left } = await ask('reclaim', about, {});
  return { sessionId: session, isCopy };
}

const knownOptions = {
  ticket: true,
  fetch: true,
  signal: true,
  clock: true,
} satisfies Record<keyof PlaceOptions, true>;
