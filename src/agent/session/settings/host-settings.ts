// Reads the host's settings other than rules, which are read at the door (query-options.ts). Used
// by settings.ts.
import { SdkError } from '../../../core/errors.ts';
import type { PermissionUpdate } from '../../../core/permissions/permission.ts';
import { checkMode } from '../../permissions/decide.ts';
import type { QueryOptions, Settings } from '../../query-options.ts';
import { findUnreadKeys } from './settings-keys.ts';

/**
 * The updates of the settings: directories, and the mode, in which the host's policy has the last
 * word.
 * @throws SdkError `bad-usage` for a setting that isn't read here and may matter. Security: a
 * setting that was meant to forbid something must not be lost in silence.
 */
export function readHostSettings({
  settings,
  managedSettings,
}: Pick<QueryOptions, 'settings' | 'managedSettings'>): PermissionUpdate[] {
  // The directories of `settings` are read at the door, with their rules.
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
