// Lists the scopes from which a session reads definitions, with their directories. Used by
// create-session.ts.
import type { Plugin } from '../../plugins/plugin.ts';
import type { QueryOptions } from '../../query-options.ts';

/** The location of definitions of the user, the project or a plugin. */
export type DefinitionScope =
  | {
      readonly source: 'user' | 'project';
      /** An absolute path. The definitions are in its `.claude`. */
      readonly directory: string;
      readonly plugin?: undefined;
    }
  | {
      readonly source: 'plugin';
      /** The directory of the plugin. */
      readonly directory: string;
      readonly plugin: Plugin;
    };

/** The user's scope is first, plugins are last. */
export function listDefinitionScopes(
  { settingSources = [], homeDirectory }: Pick<QueryOptions, 'settingSources' | 'homeDirectory'>,
  cwd: string,
  plugins: readonly Plugin[],
): readonly DefinitionScope[] {
  const scopes: DefinitionScope[] = [];
  if (settingSources.includes('user') && homeDirectory !== undefined) {
    scopes.push({ source: 'user', directory: homeDirectory });
  }
  if (settingSources.includes('project')) scopes.push({ source: 'project', directory: cwd });
  for (const plugin of plugins) {
    scopes.push({ source: 'plugin', directory: plugin.directory, plugin });
  }
  return scopes;
}
