// What of a session's permissions holds in another place than where a person gave them: what forbids, never what
// allows. Used by fold.ts where a session leaves and arrives.
import type { MoveInRecord, MoveOutRecord, PermissionsRecord } from '../../core/session/journal.ts';
import type { PermissionMode, PermissionUpdate } from '../../core/permissions/permission.ts';

/** `n`: of the entry that it is from. */
export type FoldedPermissions = PermissionsRecord & { readonly n: number };

/** Modes that allow nothing beyond what the place's own options allow. */
const strictModes: ReadonlySet<PermissionMode> = new Set(['default', 'plan', 'dontAsk']);

/** Security: an arriving session must not bring along what its own journal says that somebody has allowed. */
function withoutAllowances({
  n,
  updates,
  mode,
  home,
  taintedBy,
  downloadedAt,
}: FoldedPermissions): FoldedPermissions[] {
  const strict = updates.filter(isStrict);
  const kept = {
    ...(mode !== undefined && strictModes.has(mode) && { mode, ...(home && { home }) }),
    ...(taintedBy !== undefined && { taintedBy }),
    ...(downloadedAt !== undefined && { downloadedAt }),
  };
  if (strict.length === 0 && Object.keys(kept).length === 0) return [];
  return [{ n, type: 'permissions', updates: strict, ...kept }];
}

function isStrict(update: PermissionUpdate): boolean {
  if (update.type === 'setMode') return strictModes.has(update.mode);
  return update.type === 'addRules' && update.behavior !== 'allow';
}

/**
 * The mode at the departure, which counts elsewhere as one that a person has set. Back at home the
 * mode holds with which the session is opened.
 */
export function toModeElsewhere({
  n,
  mode,
  place,
}: MoveOutRecord & { readonly n: number }): FoldedPermissions[] {
  return mode === undefined ? [] : [{ n, type: 'permissions', updates: [], mode, home: place }];
}

/**
 * The permissions that hold after an arrival. They are those that `held` here before, and of those
 * in `all` that were added since the ones that may hold here.
 */
export function toPermissionsHere(
  { acceptsRules, place, since }: Pick<MoveInRecord, 'acceptsRules' | 'place' | 'since'>,
  held: readonly FoldedPermissions[],
  all: readonly FoldedPermissions[],
): FoldedPermissions[] {
  // They can't be told by their count, as some of those that held didn't come along to the other
  // place.
  const added = all.filter(({ n, home }) => n > since && home !== place);
  const kept = acceptsRules ? added : added.flatMap(withoutAllowances);
  return [...held, ...kept.map(withoutVersions)];
}

/** 0: any file here may hold what was downloaded there. */
function withoutVersions(record: FoldedPermissions): FoldedPermissions {
  return record.downloadedAt === undefined ? record : { ...record, downloadedAt: 0 };
}
