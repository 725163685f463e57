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
 * For an owner whose tab is lost for good while it fetched a session from that place, or
 * afterwards. The place goes on with it at once. A session that was not given away yet is that
 * place's own again, and whoever fetches it comes too late. One that was given away stays whose it
 * is; the place goes on with a session of its own that begins as that one left. So no session ever
 * has two owners, also where the tab turns up again. Done once, however often it is asked for.
 *
 * @throws SdkError `bad-usage` where the place has no session, or one that has not left from there.
 * `worker-lost` where it is out of reach. Throws what it refuses, too.
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
