// A session that is killed after any entry of its journal comes to the same end when it is opened again.
// 6 turns, 21 calls: reads, edits, cells, an answered and a denied question, a tool that counts outside, a
// fetch, a cell in the background. A page that is killed is a medium that freezes.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../../../src/core/blocks.ts';
import type { ContentBlock } from '../../../../src/core/blocks.ts';
import type { CallRecord, JournalEntry } from '../../../../src/core/journal.ts';
import type { MessageParam } from '../../../../src/core/messages.ts';
import type { CanUseTool } from '../../../../src/core/permission.ts';
import { readSystemReminder } from '../../../../src/core/system-reminder.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { countReplies, countUsage, findTwice } from '../../../support/journal-counts.ts';
import { findFault } from '../../../support/journals.ts';
import { createDisk, playSession } from '../../../support/kept-session.ts';
import type { Disk, Played } from '../../../support/kept-session.ts';
import { assistantMessage } from '../../../support/model-streams.ts';
import { createRandom } from '../../../support/random.ts';

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
    ],
    [['Grep', { pattern: 'three' }]],
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
const prompts = script.map((_, index) => `Prompt ${index}`);

/** Answers by what the conversation has: it asks for what wasn't answered yet, as a real model would. */
const model: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    expect(findFault(messages)).toBeUndefined();
    const said = messages.flatMap((message) => readPrompt(message) ?? []);
    const answered = new Set(
      messages.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.filter(isToolResultBlock).map((block) => block.tool_use_id),
      ),
    );
    const turn = prompts.indexOf(said.at(-1) ?? '');
    const steps = (script[turn] ?? []).map((calls, step) =>
      calls.map(([name, input], at): ContentBlock => {
        return { type: 'tool_use', id: `call-${turn}-${step}-${at}`, name, input };
      }),
    );
    const open = steps
      .map((calls) => calls.filter((call) => isToolUseBlock(call) && !answered.has(call.id)))
      .find((calls) => calls.length > 0);
    const content: readonly ContentBlock[] = open
      ? [{ type: 'text', text: 'I do it.' }, ...open]
      : [{ type: 'text', text: `Done with ${said.at(-1)}.` }];
    const stop_reason = open ? 'tool_use' : 'end_turn';
    yield* toEvents(assistantMessage(content, { stop_reason }));
  },
};

function readPrompt({ role, content }: MessageParam): string | undefined {
  if (role !== 'user') return undefined;
  const text = typeof content === 'string' ? content : content.filter(isTextBlock).at(0)?.text;
  return text?.startsWith('Prompt ') && readSystemReminder(text) === undefined ? text : undefined;
}

/** What lies outside of the page, and outlives it. */
class World {
  /** By call, how often it moved the counter. */
  readonly moved = new Map<string, number>();
  /** By page: the requests of questions that a person was shown. One that is killed may still show some. */
  readonly asked: string[][] = [];

  readonly tools: readonly Tool[] = [
    toTool('Count', z.strictObject({ by: z.number() }), {
      call: async (_, { toolUseID }) => {
        this.moved.set(toolUseID, (this.moved.get(toolUseID) ?? 0) + 1);
        return { data: 'counted' };
      },
    }),
    toTool('Fetch', z.strictObject({ url: z.string() }), {
      isReadOnly: () => true,
      isOpenWorld: () => true,
      call: async ({ url }) => ({ data: `the page at ${String(url)}` }),
    }),
  ];

  /** The person, as the next page has them. */
  openPage(): CanUseTool {
    const asked: string[] = [];
    this.asked.push(asked);
    return async (_, input, { requestId }) => {
      asked.push(requestId);
      return input['file_path'] === 'secret.txt'
        ? { behavior: 'deny', message: 'Not this one.' }
        : { behavior: 'allow' };
    };
  }
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

function play(disk: Disk, world: World, freezeAfter = Infinity): Promise<Played> {
  return playSession(disk, {
    prompts,
    freezeAfter,
    model,
    tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Repl', ...world.tools] as never,
    canUseTool: world.openPage(),
    loadWasm,
  });
}

const isInterrupted = (text: string) => text.includes('was interrupted');

/** What was said and done, whichever replies it was said in, and how it went. */
function toTranscript({ fold }: Played): unknown[] {
  return fold.messages.flatMap(({ role, content }): unknown[] => {
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

/** Times and tasks' ids differ from run to run, not from kill to kill. */
function maskPassing(text: string): string {
  return text.replaceAll(/\b\d+(\.\d+)? ms\b/gu, 'some ms');
}

/** In the order of the calls: whichever message each result came with. */
function sortResults(transcript: readonly unknown[]): { said: unknown[]; results: unknown } {
  const said = transcript.filter((one) => !Array.isArray(one));
  const results = Object.fromEntries(transcript.filter(Array.isArray) as [string, string][]);
  return { said, results };
}

// Compiled once for all pages.
let wasm: Promise<WebAssembly.Module> | undefined;
const loadWasm = () => (wasm ??= loadQuickjsWasm());

let reference: Played;
let referenceFiles: Readonly<Record<string, string>>;

beforeAll(async () => {
  const disk = createDisk();
  reference = await play(disk, new World());
  referenceFiles = await reference.files();
});

describe('a session that is killed', () => {
  test('has a reference that was not: 6 turns, 21 calls', () => {
    const calls = reference.entries.filter(
      (entry): entry is CallRecord & JournalEntry =>
        entry.type === 'call' && entry.origin === 'model',
    );
    const ends = reference.entries.filter(({ type }) => type === 'result');
    expect({ turns: ends.length, denied: 21 - calls.length }).toEqual({ turns: 6, denied: 1 });
    const results = sortResults(toTranscript(reference)).results as Record<string, string>;
    expect(results['call-5-1-0']).toMatch(/^=> \[ 'from a cell', 13, 0\.\d+ \]$/u);
    expect(referenceFiles).toEqual({
      '/workspace/a.txt': 'three\n',
      '/workspace/b.txt': 'bb\n',
      '/workspace/c.txt': 'from a cell',
      '/workspace/d.txt': 'd\n',
    });
  });

  test('comes to the same end, whichever entry was the last one', async () => {
    const { boundaries } = reference;
    const faults: unknown[] = [];
    for (const last of boundaries.slice(0, -1)) {
      const fault = await kill([last]);
      if (fault) faults.push({ last, ...fault });
    }
    expect(faults).toEqual([]);
    expect(boundaries.length).toBeGreaterThan(150);
  }, 300_000);

  test('comes to the same end when it is killed again while it is taken up', async () => {
    const random = createRandom(18);
    const faults: unknown[] = [];
    for (let times = 0; times < 40; times += 1) {
      const last = random.pick(reference.boundaries.slice(0, -1));
      const again = [last, last + 1 + random.below(5), last + 8 + random.below(5)];
      const fault = await kill(again);
      if (fault) faults.push({ again, ...fault });
    }
    expect(faults).toEqual([]);
  }, 300_000);
});

/** One page after the other, each killed after its last entry, and one that finishes. */
async function kill(lasts: readonly number[]): Promise<object | undefined> {
  const disk = createDisk();
  const world = new World();
  for (const last of lasts) await play(disk, world, last);
  const played = await play(disk, world);
  return compare(played, sortResults(toTranscript(reference)), world);
}

async function compare(
  played: Played,
  wanted: ReturnType<typeof sortResults>,
  world: World,
): Promise<object | undefined> {
  const files = await played.files();
  const found = sortResults(toTranscript(played));
  const results = found.results as Record<string, string>;
  const interrupted = Object.keys(results).filter((id) => isInterrupted(results[id] ?? ''));
  // A call that was cut twice isn't run a third time, and what follows it goes by what it left.
  const cutTwice = new Set(
    played.entries.flatMap((entry) => (entry.type === 'call' && entry.attempt > 1 ? entry.id : [])),
  );
  const isSame = !interrupted.some((id) => cutTwice.has(id));
  const same = isSame && {
    files: equal(files, referenceFiles),
    said: equal(found.said, wanted.said),
    results: equal(
      { ...results, ...pick(wanted.results as Record<string, string>, interrupted) },
      wanted.results,
    ),
  };
  const fault = {
    ...same,
    // The counter moves once a call, or the model is told that nobody knows.
    counter: ['call-4-0-0', 'call-4-1-0', 'call-4-2-0'].filter((id) => {
      const times = world.moved.get(id) ?? 0;
      return interrupted.includes(id) ? times > 1 : times !== 1;
    }),
    // Calls that may be repeated are: only what reaches outside is interrupted.
    interrupted: interrupted.filter((id) => !/^call-4|^call-5-0/u.test(id) && !cutTwice.has(id)),
    twice: findTwice(played.entries),
    askedAgain: world.asked.at(-1)?.filter((id) => answeredBefore(played.entries, id)),
    // The same bytes again for the same conversation.
    hashes:
      interrupted.length === 0 && !wasCut(played)
        ? equal(toHashes(played), toHashes(reference))
        : undefined,
    usage: equal(countUsage(played.entries), countReplies(played.entries)),
  };
  const wrong = Object.entries(fault).filter(
    ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
  );
  return wrong.length > 0 ? Object.fromEntries(wrong) : undefined;
}

/** The journal had its answer when the session was opened again. */
function answeredBefore(entries: readonly JournalEntry[], requestId: string): boolean {
  const again = entries.findLastIndex((entry) => entry.type === 'opened');
  return entries
    .slice(0, again)
    .some((entry) => entry.type === 'answer' && entry.requestId === requestId);
}

function pick(from: Readonly<Record<string, string>>, ids: readonly string[]) {
  return Object.fromEntries(ids.map((id) => [id, from[id]]));
}

function equal(found: unknown, wanted: unknown): unknown {
  return JSON.stringify(found) === JSON.stringify(wanted) ? undefined : { found, wanted };
}

/** A reply's calls are then asked for in two replies. */
function wasCut({ entries }: Played): boolean {
  return entries.some((entry) => entry.type === 'reply' && entry.end === 'cut');
}

/** All that was sent before there was a task, which ends when it ends. One sent again counts once. */
function toHashes({ entries }: Played): readonly string[] {
  const first = entries.findIndex(({ type }) => type === 'task');
  const hashes = entries
    .slice(0, first)
    .flatMap((entry) => (entry.type === 'request' ? entry.hash : []));
  return [...new Set(hashes)];
}
