// The mutable transcript, and immutable snapshots of it that share unchanged objects. Only
// transcript-store.ts holds one.
import type { ImageBlock } from '../core/messages/blocks.ts';
import { parsePartialJson } from './partial-json.ts';
import { maxProgress } from './transcript.ts';
import type {
  CallEntry,
  NoticeEntry,
  PromptEntry,
  TextEntry,
  TranscriptEntry,
  Turn,
} from './transcript.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A call whose input still streams keeps its raw JSON. It is parsed once a snapshot, not once a
 * delta.
 */
export type CallDraft = Mutable<CallEntry> & { inputText: string };
export type TextDraft = Mutable<TextEntry>;
export type NoticeDraft = Mutable<NoticeEntry>;
export type EntryDraft = CallDraft | TextDraft | NoticeDraft | PromptEntry;

interface TurnDraft {
  readonly turn: Mutable<Turn>;
  readonly entries: EntryDraft[];
}

export interface TranscriptDraft {
  readonly isRunning: boolean;
  startTurn(id: string, prompt: string, images: readonly ImageBlock[], now: number): void;
  /** Begins a turn without a person's prompt. */
  startOwnTurn(id: string, begunBy: NonNullable<Turn['begunBy']>, now: number): void;
  /** Sets the entry number of the turn's prompt in the journal. */
  number(id: string, n: number | undefined): void;
  /** The conversation continues from entry `to`, as entry `n` says: see `conversation_rewound`. */
  rewind(n: number, to: number): void;
  /** Moves a turn to the end: its prompt came earlier, and other turns have come in between. */
  takeUpTurn(id: string): void;
  /** Removes the turn, unless something was said in it. */
  dropTurn(id: string): void;
  endTurn(now: number, result: Turn['result']): void;
  /**
   * Appends to the current turn, or to a new turn without a prompt if there is none. Entries inside
   * a call belong to the turn of that call.
   */
  add(entry: EntryDraft, now: number): void;
  remove(entry: EntryDraft): void;
  /** Clears the draft. */
  clear(): void;
  /** Says that an entry's fields were changed. */
  touch(entry: EntryDraft): void;
  call(toolUseId: string): CallDraft | undefined;
  /** The calls of the entry's turn. Without an entry, those of the current turn. */
  calls(of?: EntryDraft): readonly CallDraft[];
  /**
   * Immutable. Gives the same array, turns and entries where nothing was touched since the last
   * snapshot.
   */
  snapshot(): readonly Turn[];
}

/** Starts an empty transcript. Drafts are changed in place, and `touch` reports each change. */
export function createTranscriptDraft(): TranscriptDraft {
  const turns: TurnDraft[] = [];
  const calls = new Map<string, CallDraft>();
  const finished = new WeakMap<EntryDraft, TranscriptEntry>();
  const finishedTurns = new WeakMap<TurnDraft, Turn>();
  const owners = new WeakMap<EntryDraft, TurnDraft>();
  let snapshot: readonly Turn[] = [];
  let isStale = false;
  const numbers = new Map<string, number>();
  /** Oldest first. */
  const rewinds: { readonly n: number; readonly to: number }[] = [];

  const open = (
    id: string,
    prompt: string,
    images: readonly ImageBlock[],
    startedAt: number,
  ): TurnDraft => {
    const begun = { entries: [], callCount: 0, startedAt, endedAt: null, result: null };
    const turn: TurnDraft = { turn: { id, prompt, images, ...begun }, entries: [] };
    turns.push(turn);
    isStale = true;
    return turn;
  };
  const touchTurn = (turn: TurnDraft | undefined) => {
    if (turn) finishedTurns.delete(turn);
    isStale = true;
  };

  const finishTurn = (draft: TurnDraft): Turn => {
    const entries = draft.entries.map((entry) => {
      const done = finished.get(entry) ?? finishEntry(entry);
      finished.set(entry, done);
      return done;
    });
    const callCount = entries.filter((entry) => entry.kind === 'call').length;
    return { ...draft.turn, entries, callCount };
  };

  return {
    get isRunning() {
      const last = turns.at(-1);
      return last !== undefined && last.turn.endedAt === null;
    },
    startTurn: (...given) => void open(...given),
    startOwnTurn(id, begunBy, now) {
      open(id, '', [], now).turn.begunBy = begunBy;
    },
    number(id, n) {
      if (n !== undefined) numbers.set(id, n);
    },
    rewind(n, to) {
      rewinds.push({ n, to });
      // Meanwhile only the turn of the command `/rewind` runs, which isn't part of the conversation
      // in any case.
      const last = turns.at(-1);
      if (last?.turn.endedAt === null) numbers.delete(last.turn.id);
      for (const draft of turns) {
        const at = numbers.get(draft.turn.id);
        const isTakenBack = at !== undefined && !isOnPath(at, rewinds);
        if (isTakenBack === (draft.turn.isTakenBack ?? false)) continue;
        draft.turn.isTakenBack = isTakenBack;
        touchTurn(draft);
      }
    },
    takeUpTurn(id) {
      const at = turns.findIndex(({ turn }) => turn.id === id && turn.endedAt === null);
      if (at < 0 || at === turns.length - 1) return;
      turns.push(...turns.splice(at, 1));
      isStale = true;
    },
    dropTurn(id) {
      const at = turns.findLastIndex(({ turn, entries }) => turn.id === id && entries.length === 0);
      if (at < 0) return;
      turns.splice(at, 1);
      isStale = true;
    },
    endTurn(now, result) {
      const last = turns.at(-1);
      if (!last) return;
      last.turn.endedAt = now;
      last.turn.result = result;
      touchTurn(last);
    },
    add(entry, now) {
      const outer = entry.parentToolUseId === null ? undefined : calls.get(entry.parentToolUseId);
      const turn = (outer && owners.get(outer)) ?? turns.at(-1) ?? open('start', '', [], now);
      turn.entries.push(entry);
      owners.set(entry, turn);
      if (entry.kind === 'call') calls.set(entry.id, entry);
      touchTurn(turn);
    },
    remove(entry) {
      const turn = owners.get(entry);
      const at = turn?.entries.indexOf(entry) ?? -1;
      if (at >= 0) turn?.entries.splice(at, 1);
      if (entry.kind === 'call') calls.delete(entry.id);
      touchTurn(turn);
    },
    clear() {
      turns.length = 0;
      rewinds.length = 0;
      numbers.clear();
      calls.clear();
      isStale = true;
    },
    touch(entry) {
      finished.delete(entry);
      touchTurn(owners.get(entry));
    },
    call: (toolUseId) => calls.get(toolUseId),
    calls(of) {
      const turn = of ? owners.get(of) : turns.at(-1);
      return turn?.entries.filter((entry) => entry.kind === 'call') ?? [];
    },
    snapshot() {
      if (!isStale) return snapshot;
      snapshot = turns.map((draft) => {
        const done = finishedTurns.get(draft) ?? finishTurn(draft);
        finishedTurns.set(draft, done);
        return done;
      });
      isStale = false;
      return snapshot;
    },
  };
}

/** True if the entry is part of the conversation after these rewinds. */
function isOnPath(
  entry: number,
  rewinds: readonly { readonly n: number; readonly to: number }[],
): boolean {
  let end = Infinity;
  for (const { n, to } of rewinds.toReversed()) {
    // A rewind that another has taken back doesn't count.
    if (n > end) continue;
    if (entry > n) return entry <= end;
    end = to;
  }
  return entry <= end;
}

/** An entry as it stands now, detached from its draft. */
function finishEntry(entry: EntryDraft): TranscriptEntry {
  if (entry.kind !== 'call') return { ...entry };
  const { inputText, ...call } = entry;
  const isStreaming = call.state === 'input-streaming';
  return {
    ...call,
    input: isStreaming ? parsePartialJson(inputText) : call.input,
    progress: [...call.progress],
  };
}

/** Keeps the newest {@link maxProgress} payloads. */
export function addProgress(call: CallDraft, payload: unknown): void {
  const progress = [...call.progress, payload];
  const surplus = Math.max(0, progress.length - maxProgress);
  call.progress = progress.slice(surplus);
  call.droppedProgress += surplus;
}

/** A call at its very beginning, before any of its input has come. */
export function createCallDraft(
  id: string,
  toolName: string,
  parentToolUseId: string | null,
): CallDraft {
  return {
    kind: 'call',
    id,
    toolName,
    parentToolUseId,
    state: 'input-streaming',
    input: undefined,
    inputText: '',
    progress: [],
    droppedProgress: 0,
    output: undefined,
    resultText: '',
    elapsedSeconds: 0,
    task: null,
  };
}
