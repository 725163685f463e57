// What hooks have made of a call's end, as the fold knows it from then on. Used by fold.ts.
import type { AmendedRecord, SettledRecord } from '../../core/session/journal.ts';

/** What an amendment replaces, also by nothing. */
const amendedFields: ReadonlySet<string> = new Set(['output', 'newMessages', 'mcpMeta', 'isOpen']);

/** Pure. */
export function amend(settled: SettledRecord, amended: AmendedRecord): SettledRecord {
  const { type: _, ...changes } = amended;
  const kept = Object.entries(settled).filter(([field]) => !amendedFields.has(field));
  return { ...(Object.fromEntries(kept) as unknown as SettledRecord), ...changes };
}
