// `Query.applyFlagSettings`: changes the query's `settings` while it runs. Loaded with the first
// call.
import { SdkError } from '../../../core/errors.ts';
import { effortLevels, isEffortLevel } from '../../../core/messages/effort.ts';
import type { EffortLevel } from '../../../core/messages/effort.ts';
import { hostsModel } from '../../../core/session/session-settings.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { SessionPermissions } from '../../permissions/permission-state.ts';
import { readFlagLayer } from '../../permissions/settings-rules.ts';
import type { Settings } from '../../query-options.ts';
import type { Session } from '../session.ts';
import { findUnreadKeys } from './settings-keys.ts';

/**
 * The argument of `Query.applyFlagSettings`. A key that is left out doesn't change, and `null`
 * removes the setting.
 */
export interface FlagSettings {
  /**
   * Replaces the permissions of `settings` and of earlier calls. `defaultMode` is refused: call
   * `setPermissionMode`.
   */
  readonly permissions?: Settings['permissions'] | null;
  /** A name among `options.models`. */
  readonly model?: string | null;
  /** The effort of the next requests. `null`: the model's default. */
  readonly effortLevel?: EffortLevel | null;
}

/**
 * Applies all settings or none. Rejects with `bad-usage` or `invalid-input` for an invalid setting.
 */
export async function applyFlagSettings(
  session: Session,
  permissions: SessionPermissions,
  settings: FlagSettings,
): Promise<void> {
  const given: unknown = settings;
  if (!isRecord(given)) throw refusal('applyFlagSettings takes an object of settings.', 'settings');
  const cleared = Object.entries(given).filter(([, value]) => value !== null);
  const [unread] = findUnreadKeys(Object.fromEntries(cleared));
  if (unread) throw refusal(`settings has ${unread.key}, ${unread.why}`, unread.key);
  const { permissions: wanted, model, effortLevel } = settings;
  if (wanted?.defaultMode !== undefined) {
    throw refusal(
      'permissions.defaultMode is the mode that a session begins with: call setPermissionMode.',
      'permissions.defaultMode',
    );
  }
  const layer = wanted === undefined ? undefined : readFlagLayer(toSettings(wanted), session.cwd);
  if (effortLevel !== undefined && effortLevel !== null && !isEffortLevel(effortLevel)) {
    const said = JSON.stringify(effortLevel);
    throw refusal(`effortLevel is one of ${effortLevels.join(', ')}, not ${said}.`, 'effortLevel');
  }
  // The model is set first, because it may be refused and is recorded.
  if (model !== undefined) {
    const name = model === null || model === hostsModel ? undefined : model;
    await session.models.choose(name, 'sdk');
  }
  if (effortLevel !== undefined) session.effort = effortLevel ?? undefined;
  if (layer) permissions.setFlags(layer);
}

const toSettings = (permissions: FlagSettings['permissions']): Settings =>
  permissions ? { permissions } : {};

function refusal(message: string, setting: string): SdkError {
  return new SdkError('bad-usage', message, { data: { setting } });
}
