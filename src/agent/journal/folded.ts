// What of a journal's entries a session knows, one by one: fold.ts keeps them.
import type {
  AnswerRecord,
  CallRecord,
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

/** One call of the newest request, or one that runs in the background. */
export interface FoldedCall {
  readonly id: string;
  /** When its first attempt was begun: what the clock of its code shows. */
  begunAt?: number;
  /** Its newest attempt. Absent while it wasn't allowed yet, or where it never was. */
  call?: CallRecord & JournalEntry;
  settled?: SettledRecord;
  /** Calls that its code has made. */
  readonly nested: string[];
}

/** A question, and its answer where there is one. */
export interface FoldedQuestion {
  readonly question: QuestionRecord & JournalEntry;
  answer?: AnswerRecord & JournalEntry;
}

/** The newest entry of a task. */
export type FoldedTask = TaskRecord & JournalEntry;

/** What a conversation is to be told: how a task has ended, or what an agent has written. */
export interface News {
  readonly id: string;
  /** The entry that has it. */
  readonly n: number;
  readonly message: MessageParam;
  /** False: it waits for the next prompt. True: it is a reason to go on. */
  readonly isUrgent: boolean;
}

/** Where the task has ended that is news. */
export function noteEnd(
  news: Map<string, News>,
  { id, n, status, isLost, notification }: FoldedTask,
): void {
  if (!notification) return;
  // A sub-agent that was written to may report again before its first report is told: both are.
  const before = news.get(id)?.message;
  const content = before && toUserContent([before, notification]);
  const message = content ? ({ role: 'user', content } as const) : notification;
  news.set(id, { id, n, message, isUrgent: status !== 'stopped' || isLost === true });
}

/** A turn as a rewind finds it again, when its entries aren't at hand any more. */
export type TurnMark = Pick<TurnRecord, 'prompt' | 'checkpoint' | 'isBlocked'> & {
  readonly n: number;
};

export function toMark({ n, prompt, checkpoint, isBlocked }: TurnRecord & JournalEntry): TurnMark {
  const rest = { ...(checkpoint !== undefined && { checkpoint }), ...(isBlocked && { isBlocked }) };
  return { n, prompt, ...rest };
}

/** The entries of the prompts that waited when the turn of entry `n` began, oldest first: its own, and those of later ones. */
export function listWaitingAt(
  n: number,
  known: {
    readonly turns: readonly TurnMark[];
    readonly waiting: readonly PromptRecord[];
    readonly promptIds: ReadonlyMap<string, number>;
  },
): number[] {
  const later = known.turns.filter((turn) => turn.n >= n).map(({ prompt }) => prompt);
  const uuids = new Set([...later, ...known.waiting.map(({ uuid }) => uuid)]);
  const asked = [...uuids].map((uuid) => known.promptIds.get(uuid) ?? Infinity);
  return asked.filter((one) => one < n).sort((one, other) => one - other);
}

/** What lists show of a session, as its newest entries have it. */
interface FoldedMeta {
  title?: string;
  tags?: readonly string[];
  isArchived?: boolean;
}

/** What the record says holds from here on. */
export function applyMeta(meta: FoldedMeta, { title, tags, isArchived }: MetaRecord): void {
  if (title !== undefined) meta.title = title;
  if (tags !== undefined) meta.tags = tags;
  if (isArchived !== undefined) meta.isArchived = isArchived;
}
