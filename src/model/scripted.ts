// A model that plays a script: for tests, for use without a network, and the demo's default without
// a key. It streams like a real model. Its name begins with `scripted`, so that it isn't confused
// with a real model.
import { checkOptionNames } from '../core/check-option-names.ts';
import { throwIfAborted } from '../core/async/abort.ts';
import { isTextBlock, isToolResultBlock } from '../core/messages/blocks.ts';
import type { ContentBlock } from '../core/messages/blocks.ts';
import { isCompactionPrompt, readSummaryMessage } from '../core/messages/compaction-messages.ts';
import { SdkError } from '../core/errors.ts';
import type { AssistantMessage, MessageParam, ModelEvent } from '../core/messages/messages.ts';
import type { Clock } from '../core/tool/ports.ts';
import { systemClock } from '../core/async/system-clock.ts';
import { readSystemReminder } from '../core/messages/system-reminder.ts';
import type { Model, ModelRequest } from './model.ts';
import { parseScript } from './script.ts';
import type { Script, ScriptBlock, ScriptTurn } from './script.ts';
import { fillPlaceholders } from './script-placeholder.ts';
import { toEvents } from './to-events.ts';
import { wait } from './wait.ts';

/** The script, and its speed. */
export interface ScriptedModelOptions {
  /** Checked by {@link parseScript}: a file's parsed JSON will do. */
  readonly script: Script;
  /**
   * The delay in milliseconds before each piece of text or input, to imitate a model's speed.
   * @defaultValue 0
   */
  readonly delayMs?: number;
  /** The number of characters per piece. @defaultValue 16, about four tokens */
  readonly chunkChars?: number;
  /** Shown after `scripted:`. @defaultValue the script's name */
  readonly name?: string;
  /** In tokens, at four characters each. @defaultValue unknown: no compaction before an overflow */
  readonly contextWindow?: number;
  /** The tokens that are reserved for a reply. @defaultValue unknown */
  readonly maxTokens?: number;
  /** @internal The clock of tests. */
  readonly clock?: Clock;
}

// 2 000 pieces take about ten milliseconds, which a page can handle without a pause.
const MAX_PIECES = 2_000;

/**
 * Creates a model that answers each request with the script's next turn.
 *
 * The turn follows from the request's messages, so a reloaded or resumed session continues at the
 * same turn. Only a failing turn is remembered here, because it leaves no message. After the last
 * turn, the model says that the script has ended. Throws `bad-usage` for an invalid script. Its
 * stream throws a turn's `error`, `model-protocol` if a placeholder finds nothing, and `aborted`.
 */
export function createScriptedModel(options: ScriptedModelOptions): Model {
  checkOptionNames('createScriptedModel', options, knownOptions);
  const script = parseScript(options.script);
  const { delayMs = 0, chunkChars = 16, clock = systemClock } = options;
  if (!Number.isSafeInteger(chunkChars) || chunkChars < 1) {
    throw new SdkError(
      'bad-usage',
      'createScriptedModel: chunkChars must be a whole number from 1.',
    );
  }
  if (!(delayMs >= 0)) {
    throw new SdkError('bad-usage', 'createScriptedModel: delayMs must be a number from 0.');
  }
  const label = options.name ?? script.name;
  const name = label === undefined ? 'scripted' : `scripted:${label}`;
  const failed = new Set<ScriptTurn>();

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void> {
    throwIfAborted(signal);
    const { turns, messages, mark } = findConversation(script, request.messages);
    const places = listPlaces(turns, messages);
    if (isCompactionPrompt(request.messages.at(-1))) {
      yield* toEvents(toReply([{ type: 'text', text: writeSummary(places) }], request, name), 16);
      return;
    }
    const index = findTurn(turns, places, failed);
    const turn = turns[index];
    if (turn?.error) {
      failed.add(turn);
      throw new SdkError(turn.error.code, turn.error.message, { data: { turn: index } });
    }
    const part = { index, mark, from: turn ? places.said : 0 };
    const message = toMessage(turn ?? ended(turns.length), part, request, name);
    const longest = Math.max(
      ...(turn ? turn.blocks.map((block) => JSON.stringify(block).length) : [0]),
    );
    // Without a delay the page can't respond between two pieces, so a long text has few pieces.
    const pieceChars =
      delayMs > 0 ? chunkChars : Math.max(chunkChars, Math.ceil(longest / MAX_PIECES));
    for (const event of toEvents(message, pieceChars)) {
      if (delayMs > 0 && event.type === 'content_block_delta') await wait(clock, delayMs, signal);
      throwIfAborted(signal);
      yield event;
    }
  }

  return {
    name,
    apiKeySource: 'none',
    ...(options.contextWindow !== undefined && { contextWindow: options.contextWindow }),
    ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
    async countTokens(request, { signal }) {
      throwIfAborted(signal);
      return countTokens(request);
    },
    stream: (request, { signal }) => stream(request, signal),
  };
}

/** The script's conversation that a request belongs to. */
interface Conversation {
  readonly turns: readonly ScriptTurn[];
  /** The messages from its prompt on. Before it, a fork has its parent's messages. */
  readonly messages: readonly MessageParam[];
  /** A part of ids, so that two scripted models give different ones. */
  readonly mark: string;
}

/** The conversation of the innermost task, else the script's own. */
function findConversation(
  { turns, tasks = [] }: Script,
  messages: readonly MessageParam[],
): Conversation {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const index = tasks.findIndex(({ prompt }) => hasPrompt(messages[at], prompt));
    const task = tasks[index];
    if (task) return { turns: task.turns, messages: messages.slice(at), mark: `t${index}_` };
  }
  return { turns, messages, mark: '' };
}

/** A definition may add a text before the prompt. */
function hasPrompt(message: MessageParam | undefined, prompt: string): boolean {
  if (message?.role !== 'user') return false;
  const { content } = message;
  const texts =
    typeof content === 'string' ? [content] : content.filter(isTextBlock).map(({ text }) => text);
  return texts.some((text) => {
    const said = text.trimEnd();
    return said === prompt || said.endsWith(`\n\n${prompt}`);
  });
}

/** The present place in the script. */
interface Places {
  /** For each of the model's messages, those of a summary included: the index after its turn. */
  readonly ends: readonly number[];
  /** The newest prompt. */
  readonly prompt: string;
  /** The number of the next turn's blocks that were said before the page was closed. */
  readonly said: number;
}

/**
 * Walks the conversation from its beginning. Each assistant message uses one turn. If it lacks
 * calls of its turn, it was cut: the next message has the rest, unless the user has sent a prompt
 * since. Summarised messages are gone. Our own summary contains the turns, and the agent says how
 * many replies it replaces.
 */
function listPlaces(turns: readonly ScriptTurn[], messages: readonly MessageParam[]): Places {
  const ends: number[] = [];
  /** The turns in the newest summary. */
  let told: readonly number[] = [];
  let prompt = '';
  let said = 0;
  for (const message of messages) {
    const summary = readSummaryMessage(message);
    if (summary) {
      told = readPlaces(summary.text);
      // Without them, another model has written the summary. Each reply then counts as a turn.
      for (let at = 0; at < summary.replies; at += 1) ends.push(told[at] ?? ends.length + 1);
    } else if (message.role === 'user') {
      const next = readPrompt(message);
      if (next === undefined) continue;
      prompt = next;
      // A reply that was cut then stays cut.
      if (said > 0) ends.splice(-1, 1, (ends.at(-1) ?? 0) + 1);
      said = 0;
    } else {
      const walked = advance(turns, ends.at(-1) ?? 0, prompt, ({ error }) => error !== undefined);
      const blocks = turns[walked]?.blocks.slice(said) ?? [];
      const { content } = message;
      const isCut = typeof content !== 'string' && countCalls(content) < countCalls(blocks);
      said = isCut ? said + content.length : 0;
      ends.push(told[ends.length] ?? (isCut ? walked : walked + 1));
    }
  }
  return { ends, prompt, said };
}

function countCalls(blocks: readonly { readonly type: string }[]): number {
  return blocks.filter(({ type }) => type === 'tool_use').length;
}

/** The index of the turn that comes next; the number of turns when the script has ended. */
function findTurn(
  turns: readonly ScriptTurn[],
  { ends, prompt }: Places,
  failed: ReadonlySet<ScriptTurn>,
): number {
  const next = advance(turns, ends.at(-1) ?? 0, prompt, (turn) => failed.has(turn));
  return Math.min(next, turns.length);
}

/**
 * Finds the first turn from `start` on whose conditions hold. A turn that failed has left no
 * message.
 */
function advance(
  turns: readonly ScriptTurn[],
  start: number,
  prompt: string,
  skip: (turn: ScriptTurn) => boolean,
): number {
  let next = start;
  for (; next < turns.length; next += 1) {
    const turn = turns[next];
    if (turn && !skip(turn) && isMeant(turn, prompt)) break;
  }
  return next;
}

/** Writes a summary in our own words, because a script has none. Inverse: {@link readPlaces}. */
function writeSummary({ ends }: Places): string {
  return `A scripted model can't sum up. Its script goes on by these places: ${ends.join(' ')}.`;
}

function readPlaces(summary: string): readonly number[] {
  const [, places = ''] = /goes on by these places: ([\d ]*)\./u.exec(summary) ?? [];
  return places
    .split(' ')
    .filter((place) => place !== '')
    .map(Number);
}

function isMeant(turn: ScriptTurn, prompt: string): boolean {
  return turn.when?.user === undefined || new RegExp(turn.when.user).test(prompt);
}

/** The user's words. Undefined for a message that only carries tool results or reminders. */
function readPrompt(message: Extract<MessageParam, { role: 'user' }>): string | undefined {
  if (typeof message.content === 'string') return message.content;
  if (message.content.some(isToolResultBlock)) return undefined;
  const texts = message.content
    .filter(isTextBlock)
    .filter(({ text }) => readSystemReminder(text) === undefined);
  return texts.length > 0 ? texts.map((block) => block.text).join('\n') : undefined;
}

function ended(count: number): ScriptTurn {
  const text =
    `The script has ended: it has ${count} ${count === 1 ? 'turn' : 'turns'}, and none is left for ` +
    'this request. I am a scripted model and can only play a script: choose a real model to go on.';
  return { blocks: [{ type: 'text', text }] };
}

function toMessage(
  turn: ScriptTurn,
  { index, mark, from }: { readonly index: number; readonly mark: string; readonly from: number },
  request: ModelRequest,
  name: string,
): AssistantMessage {
  const blocks = fillPlaceholders(turn.blocks.slice(from), request.messages, index);
  const content = blocks.map((block, at) => toBlock(block, `${mark}${index}_${from + at}`));
  const calls = content.some((block) => block.type === 'tool_use');
  return {
    ...toReply(content, request, name),
    id: `msg_scripted_${mark}${index}${from > 0 ? `_${from}` : ''}`,
    stop_reason: turn.stop_reason ?? (calls ? 'tool_use' : 'end_turn'),
  };
}

function toReply(
  content: readonly ContentBlock[],
  request: ModelRequest,
  name: string,
): AssistantMessage {
  return {
    id: 'msg_scripted_summary',
    type: 'message',
    role: 'assistant',
    model: name,
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: countTokens(request), output_tokens: countTokens(content) },
  };
}

function toBlock(block: ScriptBlock, suffix: string): ContentBlock {
  switch (block.type) {
    case 'thinking':
      return { ...block, signature: 'scripted' };
    case 'tool_use':
      return { ...block, id: block.id ?? `toolu_scripted_${suffix}` };
    case 'text':
      return block;
  }
}

/** A rough count: four characters per token. */
function countTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

const knownOptions = {
  script: true,
  delayMs: true,
  chunkChars: true,
  name: true,
  contextWindow: true,
  maxTokens: true,
  clock: true,
} satisfies Record<keyof ScriptedModelOptions, true>;
