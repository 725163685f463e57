// Makes the lines of a turn. A call's nested calls are below it. Consecutive calls that only read or search become
// one line.
import { describeCall, groupCalls } from '../../trace/call-display.ts';
import type { CallDisplay, CallGroup } from '../../trace/call-display.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { CallEntry, TranscriptEntry } from '../transcript.ts';

/** Entries that are shown as one line, or a single entry. */
export interface TurnLine extends CallGroup<TranscriptEntry> {
  /**
   * The call below which the line is shown, or null. A call that a transparent wrapper made is shown below the
   * wrapper's caller.
   */
  readonly caller: string | null;
}

/** Makes the lines of a turn's entries. */
export type FoldEntries = (entries: readonly TranscriptEntry[]) => readonly TurnLine[];

/**
 * Folds by the tools' descriptions of their calls. An entry is described once, as this runs for
 * each frame of a streaming reply.
 */
export function createFoldEntries(tools: Tools): FoldEntries {
  const known = new WeakMap<CallEntry, CallDisplay>();
  const describe = (entry: TranscriptEntry): CallDisplay | undefined => {
    // A task's output is still coming, and a person looks for it under the task's own line. The
    // same holds for an app.
    if (entry.kind !== 'call' || entry.task || entry.app) return undefined;
    const display = known.get(entry) ?? describeCall(tools, entry);
    known.set(entry, display);
    return display;
  };
  return (entries) => {
    const calling = new Set(entries.map(({ parentToolUseId }) => parentToolUseId));
    const replaced = new Map<string, string | null>();
    for (const entry of entries) {
      if (isReplaced(entry, describe(entry), calling))
        replaced.set(entry.id, entry.parentToolUseId);
    }
    const findCaller = ({ parentToolUseId }: TranscriptEntry): string | null => {
      let caller = parentToolUseId;
      while (caller !== null && replaced.has(caller)) caller = replaced.get(caller) ?? null;
      return caller;
    };
    const shown = orderByCaller(entries).filter(({ id }) => !replaced.has(id));
    return splitByCaller(shown, findCaller).flatMap(({ caller, run }) =>
      groupCalls(run, describe).map((group) => ({ ...group, caller })),
    );
  };
}

/** Moves a call's nested calls right after it. There may be text of the model between, from while the call ran. */
function orderByCaller(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  const inside = new Map<string, TranscriptEntry[]>();
  const outside: TranscriptEntry[] = [];
  for (const entry of entries) {
    const { parentToolUseId: caller } = entry;
    if (caller === null || !ids.has(caller)) outside.push(entry);
    else if (!inside.get(caller)?.push(entry)) inside.set(caller, [entry]);
  }
  if (inside.size === 0) return entries;
  const withInside = (entry: TranscriptEntry): TranscriptEntry[] => [
    entry,
    ...(inside.get(entry.id) ?? []).flatMap(withInside),
  ];
  return outside.flatMap(withInside);
}

/** True if the calls that a wrapper makes replace it. A wrapper that has something to show stays. */
function isReplaced(
  { id }: TranscriptEntry,
  display: CallDisplay | undefined,
  calling: ReadonlySet<string | null>,
): boolean {
  return display?.isWrapper === true && !speaksForItself.has(display.state) && calling.has(id);
}

const speaksForItself: ReadonlySet<CallDisplay['state']> = new Set([
  'approval-requested',
  'output-error',
  'output-denied',
  'output-stopped',
]);

interface Run {
  readonly caller: string | null;
  readonly run: TranscriptEntry[];
}

/** Splits by caller: calls that another call made aren't folded with the model's own. */
function splitByCaller(
  entries: readonly TranscriptEntry[],
  findCaller: (entry: TranscriptEntry) => string | null,
): readonly Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const caller = findCaller(entry);
    const last = runs.at(-1);
    if (last?.caller === caller) last.run.push(entry);
    else runs.push({ caller, run: [entry] });
  }
  return runs;
}
