// Where a session's configuration is: its settings files and the folders of its skills. Used by what reads them, and
// by the hooks that hear of their changes.
import { isInside, joinPath } from '../../core/path.ts';
import type { QueryOptions, SettingSource } from '../query-options.ts';

/** Below the working directory, or the user's home. */
export const settingsPaths: Readonly<Record<SettingSource, string>> = {
  user: '.claude/settings.json',
  project: '.claude/settings.json',
  local: '.claude/settings.local.json',
};

/** Below both. In the order in which they win where two skills have one name. */
export const skillFolders = ['.claude/skills', '.agents/skills'] as const;

/** Whose configuration a file is, in the Claude Agent SDK's words. */
export type ConfigurationSource =
  'user_settings' | 'project_settings' | 'local_settings' | 'skills';

/** A settings file, or a folder of skills. */
export interface ConfigurationPlace {
  readonly path: string;
  readonly source: ConfigurationSource;
}

/** The places that the query's `settingSources` bring. `cwd`: the directory where the session began. */
export function listConfigurationPlaces(
  { settingSources = [], homeDirectory }: Pick<QueryOptions, 'settingSources' | 'homeDirectory'>,
  cwd: string,
): readonly ConfigurationPlace[] {
  return settingSources.flatMap((source) => {
    const directory = source === 'user' ? homeDirectory : cwd;
    if (directory === undefined) return [];
    const settings = {
      path: joinPath(directory, settingsPaths[source]),
      source: `${source}_settings`,
    } as const;
    if (source === 'local') return [settings];
    const skills = skillFolders.map((folder) => ({
      path: joinPath(directory, folder),
      source: 'skills' as const,
    }));
    return [settings, ...skills];
  });
}

/** The place that the file is of. */
export function findConfigurationPlace(
  places: readonly ConfigurationPlace[],
  path: string,
): ConfigurationPlace | undefined {
  return places.find((place) => isInside(place.path, path));
}
