// The page of the chaos test: conversations whose model calls at random, over a host whose workers die,
// fall silent and lose messages. It counts what every call came to, and what is owed at the end.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import * as z from 'zod';
import {
  buildTool,
  createBrowserHost,
  query,
  type CanUseTool,
  type Clock,
  type Host,
  type Model,
  type SDKUserMessage,
  type Tool,
} from 'rockpool/browser';
import type { ToolResultBlock, ToolUseBlock } from '../../../src/core/messages/blocks.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import toolWorkerUrl from './chaos.worker.ts?worker&url';
import { createRandom } from '../../support/random.ts';
import { turnByTurn } from '../../support/turns/turn-by-turn.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How many prompts, or for how long. Six times as many, until all that is wanted has come. */
  readonly turns?: number;
  /** Blows and outcomes, as the report names them. */
  readonly wanted: readonly string[];
  readonly minutes?: number;
}

export interface ChaosReport {
  readonly turns: number;
  readonly calls: number;
  /** How often each kind of result came. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** How often something was done to the workers. */
  readonly blows: Readonly<Record<string, number>>;
  /** Calls without a result, or with more than one. */
  readonly unsettled: readonly string[];
  /** Works of the executor that never replied. */
  readonly unanswered: number;
  /** Files of acknowledged writes that aren't there, or hold something else. */
  readonly lostWrites: readonly string[];
  readonly acknowledgedWrites: number;
  /** Lines of the person's that aren't in the file, or more than once. */
  readonly badLines: readonly string[];
  readonly acknowledgedLines: number;
  /** For whoever looks for what hangs. */
  readonly longestTurnMs: number;
  /** The most workers that lived at one time. */
  readonly mostWorkers: number;
  /** Those that live when the host is closed. */
  readonly leakedWorkers: number;
  /** What a call came to when all was over, before the host was closed. */
  readonly lastAnswer: string;
}

declare global {
  interface Window {
    chaos?: { run(options: ChaosOptions): Promise<ChaosReport>; readonly turns: number };
  }
}

/** All workers that the page has started and that nobody has terminated. */
const living = new Set<Worker>();
let mostWorkers = 0;

const fsWorkers = new WeakSet<Worker>();
const { terminate } = Worker.prototype;

globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    living.add(this);
    if (String(url).includes('fs.worker')) fsWorkers.add(this);
    mostWorkers = Math.max(mostWorkers, living.size);
  }

  override terminate(): void {
    living.delete(this);
    super.terminate();
  }
};

const anyInput = z.looseObject({});

function chaosTool(name: string): Tool {
  return buildTool({
    name,
    inputSchema: anyInput,
    runsIn: 'worker',
    description: () => Promise.resolve('A tool of the chaos.'),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    getTimeoutMs: () => 400,
    mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: String(output),
    }),
  }) as unknown as Tool;
}

const badTools = ['Spin', 'Never', 'Crash', 'Close', 'Garbage', 'Function'];

/** A lost message is made up for by a deadline of a minute: here it comes after two seconds. */
function hurry(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (delayMs, callback) => clock.after(delayMs > 2000 ? 2000 : delayMs, callback),
  };
}

async function run({
  seed,
  turns = Infinity,
  minutes,
  wanted,
}: ChaosOptions): Promise<ChaosReport> {
  const random = createRandom(seed);
  const toolWorker = new URL(toolWorkerUrl, location.href);
  const renewSeed = () => toolWorker.searchParams.set('seed', String(random.below(2 ** 31)));
  renewSeed();
  const host = await createBrowserHost({
    workspace: `chaos-${crypto.randomUUID()}`,
    toolWorkers: 2,
    assets: { wasm: wasmUrl, toolWorker },
  });
  const end = minutes === undefined ? Infinity : performance.now() + minutes * 60_000;
  const blows: Record<string, number> = {};
  const outcomes: Record<string, number> = {};
  const count = (counts: Record<string, number>, kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  let unanswered = 0;
  const watched: Host = {
    ...host,
    clock: hurry(host.clock),
    executor: {
      start(...given) {
        unanswered += 1;
        const work = host.executor.start(...given);
        void work.reply.then(() => (unanswered -= 1));
        return work;
      },
    },
  };
  const canUseTool: CanUseTool = async (_name, input) => {
    await pass(random.below(20));
    return random.chance(0.15)
      ? { behavior: 'deny', message: 'Not today.' }
      : { behavior: 'allow', updatedInput: input };
  };

  const called = new Map<string, ToolUseBlock>();
  const results = new Map<string, number>();
  const acknowledged = new Map<string, string>();
  let calls = 0;
  const nextCall = (): ToolUseBlock => {
    calls += 1;
    const id = `call-${calls}`;
    const at = random.below(100);
    const call = (name: string, input: Record<string, unknown> = {}): ToolUseBlock => {
      const block = { type: 'tool_use', id, name, input } as const;
      called.set(id, block);
      return block;
    };
    if (at < 30) return call('Echo');
    if (at < 45) return call('Write', { file_path: `${id}.txt`, content: `by ${id}` });
    if (at < 55) return call('Glob', { pattern: '*.txt' });
    if (at < 65) return call('Grep', { pattern: 'by call-1', output_mode: 'count' });
    if (at < 75) return call('Repl', { code: 'n = (globalThis.n ?? 0) + 1', timeout: 1000 });
    return call(random.pick(badTools));
  };
  const model: Model = {
    name: 'chaos',
    apiKeySource: 'none',
    async *stream() {
      await pass(random.below(10));
      const blocks = random.chance(0.6)
        ? Array.from({ length: 1 + random.below(6) }, nextCall)
        : [{ type: 'text', text: 'Done.' } as const];
      const isOver = blocks[0]?.type === 'text';
      yield* toEvents(assistantMessage(blocks, { stop_reason: isOver ? 'end_turn' : 'tool_use' }));
    },
  };

  let turn = 0;
  let turnBeganMs = performance.now();
  let longestTurnMs = 0;
  const noteTurn = () => {
    const now = performance.now();
    longestTurnMs = Math.max(longestTurnMs, now - turnBeganMs);
    turnBeganMs = now;
  };
  const isLacking = () => wanted.some((kind) => !(blows[kind] ?? outcomes[kind]));
  async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
    const goesOn = () => turn < turns || (turn < 6 * turns && isLacking());
    for (; goesOn() && performance.now() < end; turn += 1) {
      noteTurn();
      window.chaos = { run, turns: turn };
      // What a person writes beside the agent.
      const path = `/workspace/person-${turn}.txt`;
      await host.workspace.fs.writeFile(path, String(turn));
      acknowledged.set(path, String(turn));
      yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null };
    }
  }

  let isOver = false;
  const { prompt, hear } = turnByTurn(prompts());
  const conversation = query({
    prompt,
    options: {
      host: watched,
      model,
      canUseTool,
      tools: [...(await host.loadTools()), chaosTool('Echo'), ...badTools.map(chaosTool)],
    },
  });
  let strikes = 0;
  let lines = 0;
  let linesAtBlow = 0;
  let blowsInVain = 0;
  /** The FS worker's turn seldom comes: one that is ended before it is up is noticed only after 2 s. */
  const mayStrikeFiles = () => {
    // Of two lines one at least was answered by a worker that wasn't struck yet.
    const hasAnswered = lines > linesAtBlow + 1;
    if (hasAnswered) blowsInVain = 0;
    // Eight in a row that answer nothing are given up. On a busy machine one takes longer to open
    // the files than it is left in peace. Half as many, so that it isn't the blows alone that do
    // it.
    if (strikes % 10 !== 0 || blowsInVain === 4) return false;
    blowsInVain += 1;
    linesAtBlow = lines;
    return true;
  };
  const strike = async () => {
    while (!isOver) {
      // On a slow machine no call would ever end: while something is wanted still, each turn leaves more time.
      await pass(random.below(300) * (1 + Math.max(0, turn - turns)));
      renewSeed();
      strikes += 1;
      const isForFiles = mayStrikeFiles();
      const victims = [...living].filter((worker) => fsWorkers.has(worker) === isForFiles);
      if ((isForFiles || random.chance(0.35)) && victims.length > 0) {
        count(blows, isForFiles ? 'FS worker terminated' : 'tool worker terminated');
        // Behind the library's back: as when the browser ends it.
        terminate.call(random.pick(victims));
      } else if (random.chance(0.1)) {
        count(blows, 'interrupted');
        await conversation.interrupt();
      }
    }
  };
  const striking = strike();
  // A person who writes on all the time: none of the lines may be there twice, whoever dies over it.
  const write = async () => {
    for (; !isOver; lines += 1) {
      await host.workspace.fs.appendFile(linesFile(lines), `line ${lines}\n`);
      await pass(5);
    }
  };
  const writing = write();
  for await (const message of conversation) {
    hear(message);
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content) {
      if (block.type !== 'tool_result') continue;
      const { tool_use_id: id, is_error: isError = false } = block as ToolResultBlock;
      results.set(id, (results.get(id) ?? 0) + 1);
      const use = called.get(id);
      count(outcomes, `${use?.name} ${isError ? 'failed' : 'done'}`);
      if (use?.name !== 'Write' || isError) continue;
      acknowledged.set(`/workspace/${id}.txt`, `by ${id}`);
    }
  }
  isOver = true;
  noteTurn();
  await Promise.all([striking, writing]);

  // Those that begin just now may not hear that it is over, and would go on to lose messages.
  toolWorker.searchParams.set('calm', 'true');
  for (const worker of living) if (!fsWorkers.has(worker)) terminate.call(worker);
  // Its worker and the spare may both have been ended just now; a call to which that happens is lost.
  await askOnce(host);
  const lastAnswer = await askOnce(host);
  const lostWrites: string[] = [];
  for (const [path, text] of acknowledged) {
    const found = await host.workspace.fs.readFile(path, 'utf8').catch(String);
    if (found !== text) lostWrites.push(`${path}: ${found}`);
  }
  let text = '';
  for (let line = 0; line < lines; line += linesPerFile) {
    text += await host.workspace.fs.readFile(linesFile(line), 'utf8');
  }
  await host[Symbol.asyncDispose]();
  return {
    turns: turn,
    calls,
    outcomes,
    blows,
    unsettled: [...called.keys()].filter((id) => results.get(id) !== 1),
    unanswered,
    lostWrites,
    acknowledgedWrites: acknowledged.size,
    badLines: findBadLines(text, lines),
    acknowledgedLines: lines,
    longestTurnMs: Math.round(longestTurnMs),
    mostWorkers,
    leakedWorkers: living.size,
    lastAnswer,
  };
}

// Each line is written with all that stand before it in its file: the log shall not grow for that alone.
const linesPerFile = 100;
const linesFile = (line: number) => `/workspace/lines-${Math.floor(line / linesPerFile)}.txt`;

/** One after the other was acknowledged: each must be there, once, and in that order. */
function findBadLines(text: string, count: number): string[] {
  const found = text.split('\n').slice(0, -1);
  const isBad = (line: string | undefined, at: number) => line !== `line ${at}`;
  const length = Math.max(found.length, count);
  return Array.from({ length }, (_, at) => found[at]).flatMap((line, at) =>
    isBad(line, at) ? [`${at}: ${line}`] : [],
  );
}

async function askOnce(host: Host): Promise<string> {
  const block = { type: 'tool_use', id: 'last', name: 'Echo', input: {} } as const;
  let isAsked = false;
  const model: Model = {
    name: 'calm',
    apiKeySource: 'none',
    async *stream() {
      const blocks = isAsked ? [{ type: 'text', text: 'Done.' } as const] : [block];
      const stop_reason = isAsked ? 'end_turn' : 'tool_use';
      isAsked = true;
      yield* toEvents(assistantMessage(blocks, { stop_reason }));
    },
  };
  let answer = 'none';
  for await (const message of query({
    prompt: 'Are you there?',
    // A worker that was terminated before it was up is given up after 5 s, and one after it after 15 s.
    options: { host, model, tools: [{ ...chaosTool('Echo'), getTimeoutMs: () => 30_000 }] },
  })) {
    if (message.type === 'user') answer = JSON.stringify(message.message.content);
  }
  return answer;
}

const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

window.chaos = { run, turns: 0 };
