// Applies the hooks' changes to a call's recorded end. Used by fold.ts.
import type { AmendedRecord, SettledRecord } from '../../core/session/journal.ts';

/** The fields that an amendment replaces; a missing field removes the value. */
const amendedFields: ReadonlySet<string> = new Set(['output', 'newMessages', 'mcpMeta', 'isOpen']);

/** Pure. */
export function amend(settled: SettledRecord, amended: AmendedRecord): SettledRecord {
  const { type: _, ...changes } = amended;
  const kept = Object.entries(settled).filter(([field]) => !amendedFields.has(field));
  return { ...(Object.fromEntries(kept) as unknown as SettledRecord), ...changes };
}
