// The settings that were applied, for a session that is opened in the place of another. Apart from flag-settings.ts, which
// is loaded with the first call.
import type { FlagSettings } from './flag-settings.ts';

/** The settings after a `setModel`: the model that they chose holds no longer. */
export function withoutModel({ model: _, ...others }: FlagSettings): FlagSettings {
  return others;
}
