// Combines all settings of a query into permission updates. Loaded by `create-session.ts` for a
// query with settings.
import type { PermissionState } from '../../permissions/permission-state.ts';
import type { QueryOptions } from '../../query-options.ts';
import { readHostSettings } from './host-settings.ts';
import { readWorkspaceSettings } from './workspace-settings.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';
import type { DefinitionScope } from './definition-scopes.ts';
import { listLooseningFiles } from './workspace-trust.ts';
import type { DefinitionPlace } from './workspace-trust.ts';

interface SettingsPlace {
  readonly permissions: Pick<PermissionState, 'isInitial'>;
  /** Reads files of the session's root, whose definitions are used. */
  readonly fs: DefinitionPlace['fs'];
  /** The directory with the project's settings below it. */
  readonly cwd: string;
  readonly scopes: readonly DefinitionScope[];
  readonly signal: AbortSignal;
}

/**
 * The updates of the workspace come first, then the host's. The last one decides the mode, unless
 * the caller has chosen it.
 * @throws SdkError `bad-usage` or `invalid-input` for invalid settings
 */
export async function listUpdates(
  options: QueryOptions,
  { permissions, fs, cwd, scopes, signal }: SettingsPlace,
): Promise<WorkspaceSettings> {
  const { host, settingSources: sources = [], trustWorkspace, permissionMode } = options;
  const ofHost = readHostSettings(options);
  const definitions = trustWorkspace ? await listLooseningFiles(fs, scopes) : [];
  const home = options.homeDirectory;
  // Security: a call of `setPermissionMode` before or during the start counts as the caller's
  // choice.
  const isModeChosen = () => permissionMode !== undefined || !permissions.isInitial();
  const given = { fs: host.workspace.fs, cwd, home, sources, definitions, trustWorkspace, signal };
  const { updates, ...read } = await readWorkspaceSettings({
    ...given,
    takesMode: !isModeChosen(),
  });
  return {
    updates: [...updates, ...ofHost].filter(({ type }) => type !== 'setMode' || !isModeChosen()),
    ...read,
  };
}
