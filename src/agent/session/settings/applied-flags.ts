// What was applied of settings and is to be applied again: where a session is opened in the place of another.
import type { FlagSettings } from './flag-settings.ts';

/** After a `setModel`, which ends what settings have chosen. */
export function withoutModel({ model: _, ...others }: FlagSettings): FlagSettings {
  return others;
}
