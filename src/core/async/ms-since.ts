// How long ago something was, by a clock that a person or a server may set back meanwhile.
import type { Clock } from '../tool/ports.ts';

/** In milliseconds. 0 if the clock was set back since then. */
export function msSince(startedAt: number, clock: Pick<Clock, 'now'>): number {
  return Math.max(0, clock.now() - startedAt);
}
