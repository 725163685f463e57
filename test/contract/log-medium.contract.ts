// What every LogMedium promises, as one suite over an adapter.
import { describe, it } from 'vitest';
import {
  listLogMediumClaims,
  type MediumPlace,
  type MediumTraits,
} from '../../src/workspace/drivers/log-medium-claims.ts';

export { areSame, patternOf, refusalOf } from '../../src/workspace/drivers/log-medium-claims.ts';

/** Gives the body of a test a fresh place, in the realm where there is one, and clears it away. */
type WithPlace = (body: (place: MediumPlace) => Promise<void>) => Promise<void>;

export function describeLogMedium(traits: MediumTraits, withPlace: WithPlace): void {
  describe(`${traits.driver} as a LogMedium`, () => {
    for (const { name, check } of listLogMediumClaims(traits)) it(name, () => withPlace(check));
  });
}
