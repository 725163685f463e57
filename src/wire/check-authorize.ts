// Refuses a wire that nobody could connect to, when it is made and not at its first ticket.
import { SdkError } from '../core/errors.ts';

/** @throws SdkError `bad-usage` for what is no function. `taker`: the function that was given it. */
export function checkAuthorize(taker: string, authorize: unknown): void {
  if (typeof authorize === 'function') return;
  throw new SdkError(
    'bad-usage',
    `${taker} needs authorize, a function that says who may connect: (request) => ({ owner: 'ann', role: 'owner' }), or undefined for nobody.`,
    { data: { option: 'authorize', given: typeof authorize } },
  );
}
