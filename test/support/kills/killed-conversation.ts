// The conversation of the tests that kill a session: 7 turns, 25 calls. It has reads, edits, cells,
// an answered and a denied question, a compaction in a turn, and a rewind over a turn. It has a
// tool that counts outside, a fetch, and a cell in the background. The file also says what must be
// the same however often it was killed. Portable: the tests run it in Node, in a tab and in a
// Durable Object.
import * as z from 'zod';
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import {
  isCompactionPrompt,
  readSummaryMessage,
} from '../../../src/core/messages/compaction-messages.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { readSystemReminder } from '../../../src/core/messages/system-reminder.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { answeredBefore, countReplies, countUsage, findTwice } from '../sessions/journal-counts.ts';
import { findFault } from '../sessions/journals.ts';
import { assistantMessage } from '../models/model-streams.ts';

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

/** By prompt, its requests; by request, the calls. */
const script: readonly (readonly (readonly Call[])[])[] = [
  [
    [['Write', { file_path: 'a.txt', content: 'one\n' }]],
    [['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }]],
    [['Read', { file_path: 'a.txt' }]],
  ],
  [
    [
      ['Write', { file_path: 'b.txt', content: 'b\n' }],
      ['Read', { file_path: 'a.txt' }],
      ['Glob', { pattern: '*.txt' }],
    ],
    [
      ['Edit', { file_path: 'b.txt', old_string: 'b', new_string: 'bb' }],
      ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }],
      ['Write', { file_path: 'long.txt', content: 'x'.repeat(18_000) }],
    ],
  ],
  [
    [['Repl', { code: "await fs.promises.writeFile('c.txt', 'from a cell'); let count = 1" }]],
    [
      ['Read', { file_path: 'c.txt' }],
      [
        'Repl',
        {
          code: "const text = await fs.promises.readFile('c.txt', 'utf8'); count += text.length; count",
        },
      ],
    ],
  ],
  [
    [
      ['Write', { file_path: 'secret.txt', content: 'no' }],
      ['Write', { file_path: 'd.txt', content: 'd\n' }],
      // With the long one more than fits: what is said next is said after a compaction.
      ['Write', { file_path: 'longer.txt', content: 'y'.repeat(24_000) }],
    ],
    [['Grep', { pattern: 'three' }]],
  ],
  // This turn is reverted before the next prompt.
  [
    [
      ['Edit', { file_path: 'a.txt', old_string: 'three', new_string: 'four' }],
      ['Repl', { code: "await fs.promises.writeFile('e.txt', 'gone'); count = 1000" }],
    ],
  ],
  [
    [
      ['Count', { by: 1 }],
      ['Fetch', { url: 'https://example.com' }],
    ],
    [
      ['Count', { by: 2 }],
      ['Read', { file_path: 'd.txt' }],
    ],
    [['Count', { by: 3 }]],
  ],
  [
    [['Repl', { code: '2 + 2', run_in_background: true }]],
    [['Repl', { code: '[text, count += 1, Math.random()]' }]],
  ],
];
export const killedPrompts = script.map((_, index) => `Prompt ${index}`);

/** Before the prompt of this number the session goes back to before the prompt of that uuid. */
export const killedRewind = { before: 5, to: 'prompt-4' } as const;

const countsOutside = new Set(['Count', 'Fetch']);

const toId = (turn: number, step: number, at: number) => `call-${turn}-${step}-${at}`;

const ids = script.flatMap((steps, turn) =>
  steps.flatMap((calls, step) =>
    calls.map(([name, input], at) => ({ id: toId(turn, step, at), name, input })),
  ),
);

/** The number of calls by the model, without those of its background task. */
export const killedCallCount = ids.length;

/** Replies by the state of the conversation: like a real model it makes the calls that have no result yet. */
export const killedModel: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  contextWindow: 12_000,
  maxTokens: 1_000,
  async *stream({ messages }) {
    const fault = findFault(messages);
    if (fault !== undefined) throw new Error(`The API takes no such request: ${fault}`);
    const input_tokens = countTokens(messages);
    const said = messages.flatMap((message) => readPrompt(message) ?? []);
    const answered = new Set(messages.flatMap(listAnswered));
    if (isCompactionPrompt(messages.at(-1))) {
      const text = `Answered by now: ${[...answered].join(', ')}`;
      const usage = { input_tokens, output_tokens: 5 };
      yield* toEvents(assistantMessage([{ type: 'text', text }], { usage }));
      return;
    }
    const turn = killedPrompts.indexOf(said.at(-1) ?? '');
    const steps = (script[turn] ?? []).map((calls, step) =>
      calls.map(([name, input], at): ContentBlock => {
        return { type: 'tool_use', id: toId(turn, step, at), name, input };
      }),
    );
    const open = steps
      .map((calls) => calls.filter((call) => isToolUseBlock(call) && !answered.has(call.id)))
      .find((calls) => calls.length > 0);
    const content: readonly ContentBlock[] = open
      ? [{ type: 'text', text: 'I do it.' }, ...open]
      : [{ type: 'text', text: `Done with ${said.at(-1)}.` }];
    const stop_reason = open ? 'tool_use' : 'end_turn';
    const usage = { input_tokens, output_tokens: countTokens(content) };
    yield* toEvents(assistantMessage(content, { stop_reason, usage }));
  },
};

/** Four characters a token. */
const countTokens = (value: unknown) => JSON.stringify(value).length >> 2;

/** The calls whose results are in the conversation, or in its summary. */
function listAnswered(message: MessageParam): readonly string[] {
  const summary = readSummaryMessage(message);
  if (summary) return summary.text.match(/call-\d+-\d+-\d+/gu) ?? [];
  if (typeof message.content === 'string') return [];
  return message.content.filter(isToolResultBlock).map((block) => block.tool_use_id);
}

function readPrompt({ role, content }: MessageParam): string | undefined {
  if (role !== 'user') return undefined;
  const text = typeof content === 'string' ? content : content.filter(isTextBlock).at(0)?.text;
  return text?.startsWith('Prompt ') && readSystemReminder(text) === undefined ? text : undefined;
}

/**
 * The state outside of the host, which survives it. Each change is recorded before it takes effect.
 */
export interface Outside {
  /** The counter moves for a call. */
  move(callId: string): unknown;
  /** A person is shown a question, by its request. */
  ask(requestId: string): unknown;
}

/** The built-in tools by name, and those that reach outside. */
export function listKilledTools({ move }: Pick<Outside, 'move'>): readonly (string | Tool)[] {
  return [
    'Read',
    'Write',
    'Edit',
    'Glob',
    'Grep',
    'Repl',
    toTool('Count', z.strictObject({ by: z.number() }), {
      call: async (_, { toolUseID }) => {
        await move(toolUseID);
        return { data: 'counted' };
      },
    }),
    toTool('Fetch', z.strictObject({ url: z.string() }), {
      isReadOnly: () => true,
      isOpenWorld: () => true,
      call: async ({ url }) => ({ data: `the page at ${String(url)}` }),
    }),
  ];
}

/** Denies one file. */
export function answerBy({ ask }: Pick<Outside, 'ask'>): CanUseTool {
  return async (_, input, { requestId }) => {
    await ask(requestId);
    return input['file_path'] === 'secret.txt'
      ? { behavior: 'deny', message: 'Not this one.' }
      : { behavior: 'allow' };
  };
}

function toTool(
  name: string,
  inputSchema: Tool['inputSchema'],
  rest: Pick<Tool, 'call'> & Partial<Tool>,
): Tool {
  return buildTool({
    name,
    inputSchema,
    description: () => Promise.resolve('A tool of the tests.'),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: String(output),
    }),
    ...rest,
  } as never) as unknown as Tool;
}

/** How a session has ended. */
export interface Ending {
  readonly entries: readonly JournalEntry[];
  /** The conversation. */
  readonly messages: readonly MessageParam[];
  /** Its files but for the session's own, by their paths. */
  readonly files: Readonly<Record<string, string>>;
}

/** The observations outside of the host. */
export interface Seen {
  /** By call, how often it moved the counter. */
  readonly moved: ReadonlyMap<string, number>;
  /** The requests of questions that a person was shown by the last host. */
  readonly asked: readonly string[];
}

/** Of the tool that counts outside. */
const countCalls = ids.filter(({ name }) => name === 'Count').map(({ id }) => id);

/** Calls that aren't run again: those with an effect outside, and those in the background. */
const mayBeInterrupted = new Set(
  ids
    .filter(({ name, input }) => countsOutside.has(name) || input['run_in_background'] === true)
    .map(({ id }) => id),
);

const isInterrupted = (text: string) => text.includes('was interrupted');

/** All messages, including those that were summarised or reverted. */
function listSaid({ entries }: Ending): readonly MessageParam[] {
  return entries.flatMap((entry): readonly MessageParam[] => {
    switch (entry.type) {
      case 'turn': {
        const { prompt } = entry;
        const isIt = (one: JournalEntry) => one.type === 'prompt' && one.uuid === prompt;
        const found = entries.find(isIt);
        return found?.type === 'prompt' ? [found.message] : [];
      }
      case 'reply':
        return entry.end === 'void' ? [] : [entry.message];
      case 'results':
        return [entry.message];
      case 'context':
        return entry.messages;
      default:
        return [];
    }
  });
}

/** The texts, calls and results, independent of how they were split into replies. */
function toTranscript(ending: Ending): unknown[] {
  return listSaid(ending).flatMap(({ role, content }): unknown[] => {
    if (typeof content === 'string') return [`${role}: ${content}`];
    return content.flatMap((block): unknown[] => {
      if (isTextBlock(block)) {
        const passing = block.text === 'I do it.' || block.text.startsWith('<');
        return passing ? [] : [`${role}: ${block.text}`];
      }
      if (isToolUseBlock(block)) return [{ id: block.id, name: block.name, input: block.input }];
      if (!isToolResultBlock(block)) return [];
      return [[block.tool_use_id, maskPassing(toResultText(block))]];
    });
  });
}

/** Masks times and the ids of tasks, which differ in each run. */
function maskPassing(text: string): string {
  return text.replaceAll(/\b\d+(\.\d+)? ms\b/gu, 'some ms');
}

/** What was said, and apart from it the results: whichever message each came with. */
export function readTranscript(ending: Ending): {
  readonly said: readonly unknown[];
  readonly results: Readonly<Record<string, string>>;
} {
  const transcript = toTranscript(ending);
  const all = transcript.filter((one) => !Array.isArray(one));
  // A cell in the background that ends behind its turn begins another one, in which the model says the same again.
  const said = all.filter((one, at) => typeof one !== 'string' || one !== all[at - 1]);
  const results = Object.fromEntries(transcript.filter(Array.isArray) as [string, string][]);
  return { said, results };
}

/** The differences from the end of a session without kills. Undefined: none. */
export function findFaults(
  ending: Ending,
  reference: Ending,
  { moved, asked }: Seen,
): object | undefined {
  const { entries, files } = ending;
  const { said, results } = readTranscript(ending);
  const wanted = readTranscript(reference);
  const interrupted = Object.keys(results).filter((id) => isInterrupted(results[id] ?? ''));
  // A call that was cut twice isn't run a third time, and what follows it goes by what it left.
  const cutTwice = new Set(
    entries.flatMap((entry) => (entry.type === 'call' && entry.attempt > 1 ? entry.id : [])),
  );
  const isSame = !interrupted.some((id) => cutTwice.has(id));
  const same = isSame && {
    files: equal(files, reference.files),
    said: equal(said, wanted.said),
    results: equal({ ...results, ...pick(wanted.results, interrupted) }, wanted.results),
  };
  const fault = {
    ...same,
    // The counter is incremented once per call, or the model is told that the outcome is unknown.
    counter: countCalls.filter((id) => {
      const times = moved.get(id) ?? 0;
      return interrupted.includes(id) ? times > 1 : times !== 1;
    }),
    // Calls that may be repeated are: only what reaches outside is interrupted.
    interrupted: interrupted.filter((id) => !mayBeInterrupted.has(id) && !cutTwice.has(id)),
    changes: equal(
      entries.filter(({ type }) => type === 'compacted' || type === 'rewound').map(toType),
      ['compacted', 'rewound'],
    ),
    // The remaining text is from after the compaction, and contains nothing that was reverted.
    conversation: equal(listPrompts(ending), listPrompts(reference)),
    twice: findTwice(entries),
    askedAgain: asked.filter((id) => answeredBefore(entries, id)),
    // The same bytes again for the same conversation.
    hashes:
      interrupted.length === 0 && !wasCut(ending)
        ? equal(toHashes(ending), toHashes(reference))
        : undefined,
    usage: equal(countUsage(entries), countReplies(entries)),
  };
  const wrong = Object.entries(fault).filter(
    ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
  );
  return wrong.length > 0 ? Object.fromEntries(wrong) : undefined;
}

const toType = ({ type }: JournalEntry) => type;

/** The prompts that the conversation has still, and whether it begins with a summary. */
function listPrompts({ messages }: Ending): readonly unknown[] {
  const isSummary = messages.map((message) => readSummaryMessage(message) !== undefined);
  return [isSummary.indexOf(true), messages.flatMap((message) => readPrompt(message) ?? [])];
}

function pick(from: Readonly<Record<string, string>>, ids: readonly string[]) {
  return Object.fromEntries(ids.map((id) => [id, from[id]]));
}

function equal(found: unknown, wanted: unknown): unknown {
  return JSON.stringify(found) === JSON.stringify(wanted) ? undefined : { found, wanted };
}

/** A reply's calls are then asked for in two replies. */
function wasCut({ entries }: Ending): boolean {
  return entries.some((entry) => entry.type === 'reply' && entry.end === 'cut');
}

/** All that was sent before there was a task, which ends when it ends. One sent again counts once. */
function toHashes({ entries }: Ending): readonly string[] {
  const first = entries.findIndex(({ type }) => type === 'task');
  const hashes = entries
    .slice(0, first)
    .flatMap((entry) => (entry.type === 'request' ? entry.hash : []));
  return [...new Set(hashes)];
}
