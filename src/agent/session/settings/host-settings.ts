// Reads the host's settings, except for rules, which are read when the query starts
// (query-options.ts). Used by settings.ts.
import { SdkError } from '../../../core/errors.ts';
import type { PermissionUpdate } from '../../../core/permissions/permission.ts';
import { checkMode } from '../../permissions/decide.ts';
import type { QueryOptions, Settings } from '../../query-options.ts';
import { findUnreadKeys } from './settings-keys.ts';

/**
 * The settings as permission updates: directories and the mode. The host's policy decides the mode
 * last.
 * @throws SdkError `bad-usage` for a setting that isn't supported and may matter. Security: a
 * setting that should forbid an action must not be ignored silently
 */
export function readHostSettings({
  settings,
  managedSettings,
}: Pick<QueryOptions, 'settings' | 'managedSettings'>): PermissionUpdate[] {
  // The directories of `settings` are read with their rules, when the query starts.
  const own = readOne('settings', settings).filter(({ type }) => type !== 'addDirectories');
  return [...own, ...readOne('managedSettings', managedSettings)];
}

function readOne(name: string, settings: Settings = {}): PermissionUpdate[] {
  if (typeof settings !== 'object') {
    throw refusal(`${name} is an object: read the file, and give what it holds.`, name);
  }
  const [unread] = findUnreadKeys({ ...settings });
  if (unread) throw refusal(`${name} has ${unread.key}, ${unread.why}`, unread.key);
  const { permissions = {} } = settings;
  const { defaultMode, additionalDirectories: directories = [] } = permissions;
  if (!Array.isArray(directories) || directories.some((path) => typeof path !== 'string')) {
    throw refusal(`permissions.additionalDirectories of ${name} is a list of paths.`, name);
  }
  const destination = 'userSettings';
  return [
    ...(directories.length > 0
      ? [{ type: 'addDirectories', directories, destination } as const]
      : []),
    ...(defaultMode
      ? [{ type: 'setMode', mode: checkMode(defaultMode), destination } as const]
      : []),
  ];
}

function refusal(message: string, setting: string): SdkError {
  return new SdkError('bad-usage', message, { data: { setting } });
}
