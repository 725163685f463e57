// All settings of a query as updates of what its options say. Loaded by `create-session.ts` for a query
// that has some.
import type { PermissionUpdate } from '../../core/permission.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import type { QueryOptions } from '../query-options.ts';
import { readHostSettings } from './host-settings.ts';
import { readWorkspaceSettings } from './workspace-settings.ts';

interface SettingsPlace {
  readonly permissions: Pick<PermissionState, 'isInitial'>;
  /** Below it are the workspace's settings. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/**
 * The workspace's first, then the host's: who comes last has the last word on the mode, but for the
 * caller, who has it before all of them.
 *
 * @throws SdkError `bad-usage` or `invalid-input` for what can't be understood.
 */
export async function listUpdates(
  options: QueryOptions,
  { permissions, cwd, signal }: SettingsPlace,
): Promise<PermissionUpdate[]> {
  const { host, settingSources: sources = [], trustWorkspace, permissionMode } = options;
  const ofHost = readHostSettings(options);
  const given = { fs: host.workspace.fs, cwd, sources, trustWorkspace, signal };
  const updates = [...(await readWorkspaceSettings(given)), ...ofHost];
  // Security: also by `setPermissionMode`, before the query began, or while it did.
  const isChosen = permissionMode !== undefined || !permissions.isInitial();
  return updates.filter(({ type }) => type !== 'setMode' || !isChosen);
}
