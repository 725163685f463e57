// The settings applied by `applyFlagSettings`, for a session that replaces another one. It is
// separate from flag-settings.ts, which is loaded with the first call.
import type { FlagSettings } from './flag-settings.ts';

/** The settings after a `setModel`, without the model that they chose. */
export function withoutModel({ model: _, ...others }: FlagSettings): FlagSettings {
  return others;
}
