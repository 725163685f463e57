// `npm run bench -- turn`: whole turns in real Chromium, beside other agent SDKs in the same page, over
// a scripted Messages stream. What each metric is stands in turn/notes.ts.
import type { Page } from 'playwright';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../support/browser/isolating-headers.ts';
import { contenderNames, type ContenderName } from './pages/turn/contender-names.ts';
import type { TurnTime } from './pages/turn/page.ts';
import { buildPeers, type PeerFiles } from './peers/build-peers.ts';
import { withTab } from './repl/bench-page.ts';
import { describeLoad } from './repl/describe-load.ts';
import { goals } from './turn/goals.ts';
import { startScriptedServer, type ScriptedServer } from './turn/messages-server.ts';
import { notes } from './turn/notes.ts';
import { scenarios, waitMs, type ScenarioName, type Speed } from './turn/scenarios.ts';
import { median } from './workspace/statistics.ts';

/** What is run, and how often by each contender. */
interface Plan {
  readonly scenario: ScenarioName;
  readonly speed: Speed;
  /** Not counted. None where the plan before it has made everything warm. */
  readonly roundsBefore?: number;
  readonly rounds: number;
}

// Engines compile functions anew for longer than that, but each round of all contenders takes seconds.
const roundsBefore = 3;

const plans: readonly Plan[] = [
  { scenario: 'io', speed: 'fast', roundsBefore: 1, rounds: 9 },
  { scenario: 'io', speed: 'slow', rounds: 3 },
  { scenario: 'cpu_short', speed: 'fast', roundsBefore, rounds: 9 },
  { scenario: 'cpu_short', speed: 'slow', rounds: 1 },
  // A round takes a minute, and beside that little differs from one to the next.
  { scenario: 'cpu', speed: 'fast', rounds: 2 },
  { scenario: 'cpu', speed: 'slow', rounds: 2 },
  { scenario: 'mixed', speed: 'fast', roundsBefore, rounds: 9 },
  { scenario: 'task', speed: 'fast', roundsBefore, rounds: 5 },
];

// As many as of io_fast.
const wideRounds = 9;
const abortRounds = 9;
// Less than is shown of the beginning of a result that is too long.
const comparedChars = 500;

type Times = Readonly<Record<ContenderName, readonly TurnTime[]>>;

interface Found {
  readonly plans: ReadonlyMap<string, Times>;
  /** How long the replies of cpu_slow and cpu_short_slow stream. */
  readonly streamMs: { readonly cpu: number; readonly cpu_short: number };
  /** io_fast, in a pool with a worker for each call. */
  readonly wide: readonly TurnTime[];
  readonly aborts: readonly number[];
}

export async function bench(): Promise<BenchResult> {
  const peers = await buildPeers(['ai', 'pi', 'tanstack']);
  const server = await startScriptedServer();
  const page = await serveBuiltPage({
    page: 'test/bench/pages/turn.html',
    headers: isolatingHeaders,
    handle: (path, _request, response) => {
      const content = peerFile(peers, path);
      if (content === undefined) return false;
      response.setHeader('content-type', 'text/javascript').end(content);
      return true;
    },
  });
  try {
    const found = await withTab((tab) => runAll(tab, page.url, server));
    return { metrics: toMetrics(found), notes: [...notes, describeLoad()], goals };
  } finally {
    await page.close();
    await server.close();
  }
}

function peerFile(peers: PeerFiles, path: string): string | Uint8Array | undefined {
  return path.startsWith('peers/') ? peers.get(path.slice('peers/'.length)) : undefined;
}

async function runAll(tab: Page, url: string, server: ScriptedServer): Promise<Found> {
  await tab.goto(url);
  await tab.waitForFunction(() => window.turnBench !== undefined);
  await tab.evaluate(() => window.turnBench?.open());
  const found = new Map<string, Times>();
  for (const plan of plans) {
    const name = `${plan.scenario}_${plan.speed}`;
    console.error(`bench: ${name}`);
    found.set(name, await runPlan(tab, plan, server));
  }
  console.error('bench: stream, wide, abort');
  const streamMs = {
    cpu: await readStream(`${server.url}/cpu/slow/v1/messages`),
    cpu_short: await readStream(`${server.url}/cpu_short/slow/v1/messages`),
  };
  const work = { baseURL: `${server.url}/io/fast`, tools: ['Wait'] };
  const wide: TurnTime[] = [];
  for (let round = -1; round < wideRounds; round += 1) {
    const time = await tab.evaluate((given) => window.turnBench?.runWide(given), work);
    if (time && round >= 0) wide.push(time);
  }
  const aborts: number[] = [];
  const looping = { baseURL: `${server.url}/abort/fast`, tools: ['Loop'] };
  for (let round = 0; round < abortRounds; round += 1) {
    const ms = await tab.evaluate((given) => window.turnBench?.abort(given), looping);
    if (ms !== undefined) aborts.push(ms);
  }
  return { plans: found, streamMs, wide, aborts };
}

/** The first reply of a conversation, read by somebody who does nothing with it: in milliseconds. */
async function readStream(url: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ messages: [] }) });
  const text = await response.text();
  if (!text.includes('message_stop')) throw new Error(`The stream isn't whole: ${text}`);
  return performance.now() - startedAt;
}

/** The contenders take turns, each round beginning with another one. */
async function runPlan(
  tab: Page,
  { scenario, speed, roundsBefore: before = 0, rounds }: Plan,
  server: ScriptedServer,
): Promise<Times> {
  const baseURL = `${server.url}/${scenario}/${speed}`;
  let expected: ReadonlyMap<string, string> | undefined;
  const calls: readonly { readonly name: string }[] = scenarios[scenario].flat();
  const tools = [...new Set(calls.map(({ name }) => name))];
  const times = Object.fromEntries(
    contenderNames.map((name): [ContenderName, TurnTime[]] => [name, []]),
  ) as Record<ContenderName, TurnTime[]>;
  for (let round = -before; round < rounds; round += 1) {
    for (let place = 0; place < contenderNames.length; place += 1) {
      const turn = place + round + before;
      const name = contenderNames[turn % contenderNames.length] as ContenderName;
      server.takeRun();
      const time = await runOnce(tab, name, { baseURL, tools });
      const { results, isDone } = server.takeRun();
      if (!isDone) throw new Error(`${name} didn't ask for the last reply.`);
      expected ??= results;
      if (!changesFiles(scenario)) checkSame(name, results, expected);
      if (round >= 0) times[name].push(time);
    }
  }
  return times;
}

/** The peers run an edit beside the reads around it, so what these find is a matter of luck. */
function changesFiles(scenario: ScenarioName): boolean {
  const calls: readonly { readonly name: string }[] = scenarios[scenario].flat();
  return calls.some(({ name }) => name === 'Edit');
}

/** All have the same tools over the same files, so whoever has another result did other work. */
function checkSame(
  name: ContenderName,
  results: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): void {
  for (const [id, text] of expected) {
    const other = results.get(id);
    if (other !== undefined && beginningOf(other) === beginningOf(text)) continue;
    throw new Error(
      `${name} has another result of ${id}: ${other?.slice(0, 300)}\ninstead of: ${text.slice(0, 300)}`,
    );
  }
}

/** Rockpool keeps a long result in a file, and tells the model how it begins and ends. */
function beginningOf(text: string): string {
  const shown = text.replace(/^The result is too long [^]*? Its beginning and end:\n\n/u, '');
  return shown.slice(0, comparedChars);
}

async function runOnce(
  tab: Page,
  name: ContenderName,
  work: { readonly baseURL: string; readonly tools: readonly string[] },
): Promise<TurnTime> {
  const time = await tab.evaluate(([contender, given]) => window.turnBench?.run(contender, given), [
    name,
    work,
  ] as const);
  if (!time) throw new Error(`${name} gave no time.`);
  return time;
}

function toMetrics({ plans: found, streamMs, wide, aborts }: Found): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const [plan, times] of found) {
    for (const name of contenderNames) metrics[`${plan}_${name}_ms`] = medianOf(times[name], 'ms');
  }
  const best = (plan: string) => bestPeer(found.get(plan) as Times);
  metrics['vs_best_peer_io'] = Math.min(best('io_fast'), best('io_slow'));
  metrics['vs_best_peer_cpu'] = Math.min(best('cpu_fast'), best('cpu_slow'));
  metrics['vs_best_peer_cpu_fast'] = best('cpu_fast');
  metrics['vs_best_peer_cpu_slow'] = best('cpu_slow');
  metrics['vs_best_peer_cpu_short_fast'] = best('cpu_short_fast');
  metrics['vs_best_peer_cpu_short_slow'] = best('cpu_short_slow');
  for (const scenario of ['cpu', 'cpu_short'] as const) {
    const ms = streamMs[scenario];
    const plan = `${scenario}_slow`;
    metrics[`${plan}_stream_ms`] = ms;
    metrics[`vs_best_peer_${plan}_limit`] = bestPeerMs(found.get(plan) as Times) / ms;
  }
  metrics['vs_best_peer_mixed'] = best('mixed_fast');
  metrics['vs_best_peer_task'] = best('task_fast');
  const cpu = found.get('cpu_fast') as Times;
  metrics['main_thread_blocked_ms'] = medianOf(cpu.rockpool, 'blockedMs');
  metrics['main_thread_blocked_max_ms'] = Math.max(...cpu.rockpool.map((time) => time.blockedMs));
  for (const name of contenderNames.filter((other) => other !== 'rockpool')) {
    metrics[`${name}_blocked_ms`] = medianOf(cpu[name], 'blockedMs');
  }
  metrics['slowest_call_ratio'] = medianOf(wide, 'ms') / waitMs;
  metrics['abort_ms'] = median(aborts);
  metrics['abort_max_ms'] = Math.max(...aborts);
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name, Number(value.toPrecision(4))]),
  );
}

/** The time of the fastest peer by ours. */
function bestPeer(times: Times): number {
  return bestPeerMs(times) / medianOf(times.rockpool, 'ms');
}

function bestPeerMs(times: Times): number {
  const peers = contenderNames.filter((name) => name !== 'rockpool');
  return Math.min(...peers.map((name) => medianOf(times[name], 'ms')));
}

function medianOf(times: readonly TurnTime[], field: keyof TurnTime): number {
  return median(times.map((time) => time[field]));
}
