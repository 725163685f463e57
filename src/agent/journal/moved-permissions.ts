// What of a session's permissions holds in another place than where a person gave them: what forbids, never what
// allows. Used by fold.ts where a session leaves and arrives.
import type { MoveInRecord, MoveOutRecord, PermissionsRecord } from '../../core/journal.ts';
import type { PermissionMode, PermissionUpdate } from '../../core/permission.ts';

/** They allow nothing that the place's own options don't. */
const strictModes: ReadonlySet<PermissionMode> = new Set(['default', 'plan', 'dontAsk']);

/** Security: an arriving session must not bring along what its own journal says that somebody has allowed. */
function withoutAllowances({
  updates,
  mode,
  home,
  taintedBy,
  downloadedAt,
}: PermissionsRecord): PermissionsRecord[] {
  const strict = updates.filter(isStrict);
  const kept = {
    ...(mode !== undefined && strictModes.has(mode) && { mode, ...(home && { home }) }),
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

/** What counts elsewhere as a mode that a person has set. At home the one holds that the session is opened with. */
export function toModeElsewhere({ mode, place }: MoveOutRecord): PermissionsRecord[] {
  return mode === undefined ? [] : [{ type: 'permissions', updates: [], mode, home: place }];
}

/** What holds after an arrival: what `held` here before, and what of `all` may hold of what was added since. */
export function toPermissionsHere(
  { acceptsRules, place }: Pick<MoveInRecord, 'acceptsRules' | 'place'>,
  held: readonly PermissionsRecord[],
  all: readonly PermissionsRecord[],
): PermissionsRecord[] {
  const added = all.slice(held.length).filter(({ home }) => home !== place);
  const kept = acceptsRules ? added : added.flatMap(withoutAllowances);
  return [...held, ...kept.map(withoutVersions)];
}

/** 0: anything here may hold what was downloaded there. */
function withoutVersions(record: PermissionsRecord): PermissionsRecord {
  return record.downloadedAt === undefined ? record : { ...record, downloadedAt: 0 };
}
