// The busy hour of the edge bench: 20 prompts, 80 model requests and 120 calls of a session with 5 000 files.
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';

export const prompts = 20;
export const requestsAPrompt = 4;

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

/** Of one turn, by request: two calls each of three, then words. `turn` counts from 0. */
const toCalls = (turn: number): readonly (readonly Call[])[] => {
  const note = `/workspace/notes/note${turn}.md`;
  const source = `/workspace/src/part${turn}/file${turn * 100}.ts`;
  return [
    [
      [
        'Write',
        { file_path: note, content: `Note ${turn}.\n${'It says something.\n'.repeat(20)}` },
      ],
      ['Read', { file_path: source, limit: 40 }],
    ],
    [
      ['Grep', { pattern: 'needle\\d+', output_mode: 'files_with_matches' }],
      ['Read', { file_path: source, offset: 41, limit: 40 }],
    ],
    [
      ['Edit', { file_path: note, old_string: `Note ${turn}.`, new_string: `Noted ${turn}.` }],
      ['Repl', { code: 'globalThis.seen = (globalThis.seen ?? 0) + 1; seen' }],
    ],
  ];
};

/** Asks for what the conversation doesn't have yet. */
export const scriptedHour: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  contextWindow: 1_000_000,
  maxTokens: 1_000,
  async *stream({ messages }) {
    const replies = messages.filter(({ role }) => role === 'assistant').length;
    const turn = Math.floor(replies / requestsAPrompt);
    const calls = toCalls(turn)[replies % requestsAPrompt];
    if (!calls) {
      yield* toEvents(
        assistantMessage([{ type: 'text', text: `Turn ${turn} is done. `.repeat(20) }]),
      );
      return;
    }
    const blocks = calls.map(([name, input], at): ContentBlock => ({
      type: 'tool_use',
      id: `c${replies}-${at}`,
      name,
      input,
    }));
    yield* toEvents(assistantMessage(blocks, { stop_reason: 'tool_use' }));
  },
};

/**
 * What an hour costs on Cloudflare's paid plan, by the prices of October 2026. Duration costs 12.50
 * $ a million GB-s at 0.128 GB. Rows written cost 1 $ a million, rows read 0.001 $ a million,
 * requests and alarms 0.15 $ a million.
 */
export function priceHour(counted: {
  readonly seconds: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
  readonly requests: number;
}): number {
  const { seconds, rowsWritten, rowsRead, requests } = counted;
  const millionths = seconds * 0.128 * 12.5 + rowsWritten + rowsRead * 0.001 + requests * 0.15;
  return millionths / 1_000_000;
}

/** So long a model answers, in seconds: it is paid for, and nobody can count it here. */
export const secondsARequest = 30;

/** So long an object that nobody needs stays until it sleeps, in seconds. */
export const secondsUntilSleep = 10;
