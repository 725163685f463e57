// A model that makes the calls in its prompt: a JSON list of calls, each in its own request. It
// derives its position from the conversation, so it also continues after a kill.
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
} from '../../../src/core/messages/blocks.ts';
import { isCompactionPrompt } from '../../../src/core/messages/compaction-messages.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../models/model-streams.ts';
import type { TaskCall } from './play-tasks.ts';

/** A prompt for {@link createCallingModel}. */
export const asPrompt = (...calls: readonly TaskCall[]): string => JSON.stringify({ calls });

export interface CallingModel extends Model {
  readonly requests: ModelRequest[];
}

/** Its last word of each turn has `lastWordChars` characters. */
export function createCallingModel(lastWordChars = 5): CallingModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    requests,
    async *stream(request) {
      const { messages } = request;
      requests.push({ ...request, messages: structuredClone(messages) });
      const say = (text: string) => toEvents(assistantMessage([{ type: 'text', text }]));
      if (isCompactionPrompt(messages.at(-1))) return yield* say('What was said before.');
      const at = messages.findLastIndex((message) => readCalls(message) !== undefined);
      const prompt = messages[at];
      const calls = (prompt && readCalls(prompt)) ?? [];
      const done = messages.slice(at + 1).flatMap(listResults).length;
      const call = calls[done];
      if (!call) return yield* say('.'.repeat(lastWordChars));
      const [name, input = {}] = call;
      const made = messages.flatMap(listUses).length;
      const block = { type: 'tool_use', id: `call-${at}-${made}`, name, input } as const;
      yield* toEvents(assistantMessage([block], { stop_reason: 'tool_use' }));
    },
  };
}

function readCalls({ role, content }: MessageParam): readonly TaskCall[] | undefined {
  if (role !== 'user') return undefined;
  const text = typeof content === 'string' ? content : content.find(isTextBlock)?.text;
  if (!text?.startsWith('{"calls":')) return undefined;
  return (JSON.parse(text) as { readonly calls: readonly TaskCall[] }).calls;
}

const listResults = ({ content }: MessageParam) =>
  typeof content === 'string' ? [] : content.filter(isToolResultBlock);
const listUses = ({ content }: MessageParam) =>
  typeof content === 'string' ? [] : content.filter(isToolUseBlock);
