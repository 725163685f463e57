// The lines of a turn: consecutive calls that only looked are folded into one.
import { describeCall, groupCalls } from '../../trace/call-display.ts';
import type { CallDisplay, CallGroup } from '../../trace/call-display.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { CallEntry, TranscriptEntry } from '../transcript.ts';

/** What the entries of a turn are shown as, in their order. */
export type FoldEntries = (
  entries: readonly TranscriptEntry[],
) => readonly CallGroup<TranscriptEntry>[];

/**
 * Folds by what the tools say of their calls. An entry is described once: while a reply streams this runs
 * for each of its frames.
 */
export function createFoldEntries(tools: Tools): FoldEntries {
  const known = new WeakMap<CallEntry, CallDisplay>();
  const describe = (entry: TranscriptEntry): CallDisplay | undefined => {
    // What a task prints is still coming, and a person looks for it under the task's own line.
    if (entry.kind !== 'call' || entry.task) return undefined;
    const display = known.get(entry) ?? describeCall(tools, entry);
    known.set(entry, display);
    return display;
  };
  return (entries) => {
    const calling = new Set(entries.map(({ parentToolUseId }) => parentToolUseId));
    const shown = entries.filter((entry) => !isReplaced(entry, describe(entry), calling));
    return splitByParent(shown).flatMap((run) => groupCalls(run, describe));
  };
}

/** The calls that it makes stand in its place, unless there is something to say of itself. */
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
]);

/** What another call made isn't folded with what the model did itself. */
function splitByParent(entries: readonly TranscriptEntry[]): TranscriptEntry[][] {
  const runs: TranscriptEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run?.[0]?.parentToolUseId === entry.parentToolUseId) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}
