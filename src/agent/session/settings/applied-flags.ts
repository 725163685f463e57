// The settings that were applied to a session, for the opening of another one in its place.
import type { QueryOptions } from '../../query-options.ts';
import type { FlagSettings } from './flag-settings.ts';

/**
 * The options with the applied settings, which so hold before anything runs. A chosen model is in the journal.
 * Security: a sub-agent that is resumed must not run without their rules.
 */
export function withFlags<Options extends Pick<QueryOptions, 'settings' | 'effort'>>(
  options: Options,
  { permissions, effortLevel }: FlagSettings = {},
): Options {
  const { settings, effort: given, ...rest } = options;
  const { defaultMode } = settings?.permissions ?? {};
  const replaced = { ...(defaultMode && { defaultMode }), ...permissions };
  const own = permissions === undefined ? settings : { ...settings, permissions: replaced };
  const effort = effortLevel === undefined ? given : effortLevel;
  // The cast is safe: only the two members are replaced.
  return { ...rest, ...(own && { settings: own }), ...(effort && { effort }) } as Options;
}
