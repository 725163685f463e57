// `Query.applyFlagSettings`: what the query's `settings` say, changed while it runs. Loaded with the first call.
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
 * What `Query.applyFlagSettings` takes. A key that is left out stays as it is, and `null` takes it back.
 */
export interface FlagSettings {
  /** In place of those of `settings`, and of an earlier call. `defaultMode` is refused: call `setPermissionMode`. */
  readonly permissions?: Settings['permissions'] | null;
  /** A name among `options.models`. */
  readonly model?: string | null;
  /** The effort of the next requests. `null`: the model's own. */
  readonly effortLevel?: EffortLevel | null;
}

/** All or nothing. Rejects with `bad-usage` or `invalid-input` for what can't hold. */
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
  // The one that may be refused and is recorded comes first.
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
