// The model of sessions under load: three turns with files, a search and a cell, with a secret from the first prompt.
// It repeats everything that it gets, so that data of another session would be noticed.
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { asks, says } from '../turns/play-turns.ts';

/** How many turns there are. */
export const loadedTurns = 3;

/** The prompt of the turn with that number. */
export const toLoadedPrompt = (turn: number, secret: string) => `turn ${turn} of ${secret}`;

/** All secrets that a text has, each once. */
export const findSecrets = (text: string): string[] => [
  ...new Set(text.match(/secret-[0-9a-z]+/gu) ?? []),
];

const note = '/workspace/note.txt';

const toCalls: readonly ((secret: string) => readonly [name: string, input: object][])[] = [
  (secret) => [
    ['Write', { file_path: note, content: `${secret}\n`.repeat(100) }],
    ['Repl', { code: `globalThis.mine = '${secret}'; mine` }],
  ],
  () => [
    ['Grep', { pattern: 'secret-[0-9a-z]+', output_mode: 'content' }],
    ['Repl', { code: `fs.readFileSync('${note}', 'utf8').startsWith(mine) && mine` }],
  ],
  () => [
    ['Read', { file_path: note }],
    ['Repl', { code: 'Object.keys(globalThis).length > 0 && mine' }],
  ],
];

/** Makes the calls of the prompt's turn in one reply each, then repeats the whole request. */
export const loadedModel: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  contextWindow: 1_000_000,
  maxTokens: 1_000,
  async *stream({ messages }) {
    const prompt = messages.findLastIndex((message) => saidIn.test(textOf(message)));
    const [, turn, secret = ''] = saidIn.exec(textOf(messages[prompt])) ?? [];
    const calls = toCalls[Number(turn)]?.(secret) ?? [];
    const told = messages.slice(prompt).filter(({ role }) => role === 'assistant').length;
    const call = calls[told];
    if (!call) {
      yield* toEvents(
        says(`Turn ${turn} has seen ${findSecrets(JSON.stringify(messages)).join()}.`),
        20,
      );
      return;
    }
    const [name, input] = call;
    const block = { type: 'tool_use', id: `${turn}-${told}`, name, input } as ContentBlock;
    yield* toEvents(asks(block));
  },
};

const saidIn = /turn (\d) of (secret-[0-9a-z]+)/u;

/** The text of a person in the message, without results and reminders. */
function textOf(message: MessageParam | undefined): string {
  if (!message || message.role !== 'user') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
