// Journals made by hand, and what a conversation must be for the API to take it.
import { SessionFold } from '../../../src/agent/journal/fold.ts';
import { isToolResultBlock, isToolUseBlock } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type {
  CallRecord,
  JournalEntry,
  JournalRecord,
  SettledRecord,
} from '../../../src/core/session/journal.ts';
import type { AssistantMessage, MessageParam } from '../../../src/core/messages/messages.ts';

/** The records as entries; the clock ticks once for each. */
export function toEntries(...records: readonly JournalRecord[]): JournalEntry[] {
  return records.map((record, index) => ({ ...record, n: index + 1, time: 1_000 + index }));
}

export function foldEntries(entries: readonly JournalEntry[]): SessionFold {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

/** Adds a record, as a live session would. */
export function append(fold: SessionFold, ...records: readonly JournalRecord[]): void {
  for (const record of records) {
    fold.apply({ ...record, n: fold.length + 1, time: fold.time + 1 });
  }
}

export const session: JournalRecord = {
  type: 'session',
  format: 1,
  id: 'session-1',
  seed: 'seed',
  cwd: '/',
  version: '0',
};
export const opened: JournalRecord = { type: 'opened', owner: 'a', why: 'start' };

export const prompt = (uuid: string, content = `Prompt ${uuid}`): JournalRecord => ({
  type: 'prompt',
  uuid,
  message: { role: 'user', content },
});

export const turn = (uuid: string): JournalRecord => ({ type: 'turn', prompt: uuid });

export const request = (step: number): JournalRecord => ({
  type: 'request',
  step,
  model: 'scripted',
  hash: `hash ${step}`,
  messages: 1,
});

export const say = (text: string): ContentBlock => ({ type: 'text', text });
export const asks = (id: string, name = 'Edit', input: unknown = { id }): ContentBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const block = (step: number, index: number, whole: ContentBlock): JournalRecord => ({
  type: 'block',
  step,
  index,
  block: whole,
});

export const toMessage = (...content: readonly ContentBlock[]): AssistantMessage => ({
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content,
  stop_reason: content.some(isToolUseBlock) ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

export const reply = (
  step: number,
  content: readonly ContentBlock[],
  end: 'whole' | 'cut' | 'void' = 'whole',
): JournalRecord => ({
  type: 'reply',
  step,
  uuid: `reply ${step} ${end}`,
  end,
  message: toMessage(...content),
});

export const call = (id: string, rest: Partial<CallRecord> = {}): CallRecord => ({
  type: 'call',
  id,
  origin: rest.parent === undefined ? 'model' : 'code',
  tool: 'Edit',
  input: { id },
  repeatable: true,
  attempt: 1,
  ...rest,
});

export const settled = (id: string, rest: Partial<SettledRecord> = {}): SettledRecord => ({
  type: 'settled',
  id,
  tool: 'Edit',
  state: 'output-available',
  result: { type: 'tool_result', tool_use_id: id, content: `did ${id}` },
  reads: [],
  ...rest,
});

export const results = (step: number, ...ids: readonly string[]): JournalRecord => ({
  type: 'results',
  step,
  message: {
    role: 'user',
    content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `did ${id}` })),
  },
});

export const result: JournalRecord = { type: 'result', message: { subtype: 'success' } as never };

/** What the API would refuse of these messages; undefined where it takes them. */
export function findFault(messages: readonly MessageParam[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'it begins with the assistant';
  if (messages.at(-1)?.role !== 'user') return 'it ends with the assistant';
  for (const [index, { role, content }] of messages.entries()) {
    if (content.length === 0) return `message ${index} has no content`;
    if (typeof content === 'string') continue;
    if (role === 'assistant') {
      const asked = content.filter(isToolUseBlock).map(({ id }) => id);
      const next = messages[index + 1]?.content ?? [];
      const given = typeof next === 'string' ? [] : next.filter(isToolResultBlock);
      const answered = given.map((one) => one.tool_use_id);
      if (JSON.stringify(asked) !== JSON.stringify(answered)) {
        return `message ${index} asks for ${asked.join(', ')}, answered are ${answered.join(', ')}`;
      }
    } else if (content.some(isToolResultBlock)) {
      const before = messages[index - 1]?.content ?? [];
      if (typeof before === 'string' || !before.some(isToolUseBlock)) {
        return `message ${index} answers nothing`;
      }
    }
  }
  return undefined;
}
