// What of a session's permissions holds in another place than where a person gave them: what forbids, never what
// allows. Used by fold.ts where a session arrives.
import type { PermissionsRecord } from '../../core/journal.ts';
import type { PermissionMode, PermissionUpdate } from '../../core/permission.ts';

/** They allow nothing that the place's own options don't. */
const strictModes: ReadonlySet<PermissionMode> = new Set(['default', 'plan', 'dontAsk']);

/** Security: an arriving session must not bring along what its own journal says that somebody has allowed. */
export function withoutAllowances({
  updates,
  mode,
  taintedBy,
  downloadedAt,
}: PermissionsRecord): PermissionsRecord[] {
  const strict = updates.filter(isStrict);
  const kept = {
    ...(mode !== undefined && strictModes.has(mode) && { mode }),
    ...(taintedBy !== undefined && { taintedBy }),
    ...(downloadedAt !== undefined && { downloadedAt }),
  };
  if (strict.length === 0 && Object.keys(kept).length === 0) return [];
  return [{ type: 'permissions', updates: strict, ...kept }];
}

function isStrict(update: PermissionUpdate): boolean {
  if (update.type === 'setMode') return strictModes.has(update.mode);
  return update.type === 'addRules' && update.behavior !== 'allow';
}

/** 0: anything here may hold what was downloaded there. */
export function withoutVersions(record: PermissionsRecord): PermissionsRecord {
  return record.downloadedAt === undefined ? record : { ...record, downloadedAt: 0 };
}
