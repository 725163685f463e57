// The lines of a turn: each call's own calls below it, and consecutive calls that only looked as one line.
import { describeCall, groupCalls } from '../../trace/call-display.ts';
import type { CallDisplay, CallGroup } from '../../trace/call-display.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { CallEntry, TranscriptEntry } from '../transcript.ts';

/** Entries that are shown as one line, or one by itself. */
export interface TurnLine extends CallGroup<TranscriptEntry> {
  /**
   * The call below which it stands; null: none. A call that a transparent wrapper made stands below the wrapper's own
   * caller.
   */
  readonly caller: string | null;
}

/** What the entries of a turn are shown as. */
export type FoldEntries = (entries: readonly TranscriptEntry[]) => readonly TurnLine[];

/**
 * Folds by what the tools say of their calls. An entry is described once: while a reply streams this runs
 * for each of its frames.
 */
export function createFoldEntries(tools: Tools): FoldEntries {
  const known = new WeakMap<CallEntry, CallDisplay>();
  const describe = (entry: TranscriptEntry): CallDisplay | undefined => {
    // What a task prints is still coming, and a person looks for it under the task's own line. So with an app.
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

/** What a call makes comes right behind it: while it runs the model may have said more. */
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
  'output-stopped',
]);

interface Run {
  readonly caller: string | null;
  readonly run: TranscriptEntry[];
}

/** What another call made isn't folded with what the model did itself. */
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
