// The parts of a session's state that single entries create. Used by fold.ts.
import type {
  AgentRecord,
  AnswerRecord,
  CallRecord,
  JoinedRecord,
  JournalEntry,
  MetaRecord,
  PromptRecord,
  QuestionRecord,
  SettledRecord,
  TaskRecord,
  TurnRecord,
} from '../../core/session/journal.ts';
import { toUserContent } from '../../core/messages/messages.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { SessionFold } from './fold.ts';

/** A sub-agent, and the fold over its own entries. */
export interface FoldedAgent {
  readonly n: number;
  readonly record: AgentRecord;
  /** The agent that has started it. Undefined: the session's main agent. */
  readonly parent: string | undefined;
  readonly fold: SessionFold;
  /** A rewind has reverted the agent's beginning. */
  isGone: boolean;
}

/** One call of the newest request, or one that runs in the background. */
export interface FoldedCall {
  readonly id: string;
  /** When its first attempt has begun, which is the time that its code sees. */
  begunAt?: number;
  /** Its newest attempt. Left out if it wasn't allowed yet, or never was. */
  call?: CallRecord & JournalEntry;
  settled?: SettledRecord;
  /** The calls that its code has made. */
  readonly nested: string[];
}

/** A question, and its answer if there is one. */
export interface FoldedQuestion {
  readonly question: QuestionRecord & JournalEntry;
  answer?: AnswerRecord & JournalEntry;
}

/** The newest entry of a task. */
export type FoldedTask = TaskRecord & JournalEntry;

/** News for a conversation: the end of a task, or mail of an agent. */
export interface News {
  readonly id: string;
  /** The number of its entry. */
  readonly n: number;
  readonly message: MessageParam;
  /** False: it waits for the next prompt. True: it is a reason to continue. */
  readonly isUrgent: boolean;
}

/** Records the end of a task as news if the task has ended. */
export function noteTaskEnd(
  news: Map<string, News>,
  { id, n, status, isLost, notification }: FoldedTask,
): void {
  if (!notification) return;
  // A sub-agent that got mail may report again before its first report was sent; then both are
  // sent.
  const before = news.get(id)?.message;
  const content = before && toUserContent([before, notification]);
  const message = content ? ({ role: 'user', content } as const) : notification;
  news.set(id, { id, n, message, isUrgent: status !== 'stopped' || isLost === true });
}

/** The values of a turn that a rewind needs when the turn's entries aren't in memory. */
export type TurnMark = Pick<TurnRecord, 'prompt' | 'checkpoint' | 'isBlocked'> & {
  readonly n: number;
};

export function toMark({ n, prompt, checkpoint, isBlocked }: TurnRecord & JournalEntry): TurnMark {
  const rest = { ...(checkpoint !== undefined && { checkpoint }), ...(isBlocked && { isBlocked }) };
  return { n, prompt, ...rest };
}

/** A prompt that has joined a turn, and the uuid of that turn's own prompt. */
export interface JoinedPrompt {
  readonly n: number;
  readonly prompt: string;
  readonly turn: string;
}

/**
 * The prompts that waited when the turn of entry `n` began, oldest first: its own, those of later
 * turns, and those that have joined one of them.
 */
export function listWaitingAt(
  n: number,
  known: {
    readonly turns: readonly TurnMark[];
    readonly joined: readonly JoinedPrompt[];
    readonly waiting: readonly PromptRecord[];
    readonly promptIds: ReadonlyMap<string, number>;
  },
): number[] {
  const marks = [...known.turns, ...known.joined];
  const later = marks.filter((mark) => mark.n >= n).map(({ prompt }) => prompt);
  const uuids = new Set([...later, ...known.waiting.map(({ uuid }) => uuid)]);
  const asked = [...uuids].map((uuid) => known.promptIds.get(uuid) ?? Infinity);
  return asked.filter((one) => one < n).sort((one, other) => one - other);
}

/** The fields of a session that lists show. */
interface FoldedMeta {
  title?: string;
  tags?: readonly string[];
  isArchived?: boolean;
}

/** Applies the record's values. */
export function applyMeta(meta: FoldedMeta, { title, tags, isArchived }: MetaRecord): void {
  if (title !== undefined) meta.title = title;
  if (tags !== undefined) meta.tags = tags;
  if (isArchived !== undefined) meta.isArchived = isArchived;
}

/** Entries by which viewers may get results. */
export const tellingKinds: ReadonlySet<string> = new Set(['reply', 'settled', 'amended']);

export function removeWhere<Value>(list: Value[], isGone: (value: Value) => boolean): void {
  const at = list.findIndex(isGone);
  if (at !== -1) list.splice(at, 1);
}

/** True if the entry makes a prompt part of the conversation. */
export function takesPrompt(
  entry: JournalEntry,
): entry is JournalEntry & (TurnRecord | JoinedRecord) {
  return entry.type === 'turn' || entry.type === 'joined';
}
