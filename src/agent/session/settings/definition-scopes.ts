// Whose definitions a session reads, and where. Used by create-session.ts and settings.ts.
import type { QueryOptions } from '../../query-options.ts';

/** Definitions stand below `.claude` of its directory. */
export interface DefinitionScope {
  readonly source: 'user' | 'project';
  /** Absolute. */
  readonly directory: string;
}

/** The user's come first. */
export function listDefinitionScopes(
  { settingSources = [], homeDirectory }: Pick<QueryOptions, 'settingSources' | 'homeDirectory'>,
  cwd: string,
): readonly DefinitionScope[] {
  const scopes: DefinitionScope[] = [];
  if (settingSources.includes('user') && homeDirectory !== undefined) {
    scopes.push({ source: 'user', directory: homeDirectory });
  }
  if (settingSources.includes('project')) scopes.push({ source: 'project', directory: cwd });
  return scopes;
}
