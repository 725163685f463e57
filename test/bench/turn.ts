// `npm run bench -- turn`: whole turns in real Chromium, beside other agent SDKs in the same page, over
// a scripted Messages stream. What each metric is stands in turn/notes.ts.
import type { Page } from 'playwright';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../support/isolating-headers.ts';
import { contenderNames, type ContenderName } from './pages/turn/contender-names.ts';
import type { TurnTime } from './pages/turn/page.ts';
import { buildPeers, type PeerFiles } from './peers/build-peers.ts';
import { withTab } from './repl/bench-page.ts';
import { describeLoad } from './repl/describe-load.ts';
import { goals } from './turn/goals.ts';
import { startScriptedServer } from './turn/messages-server.ts';
import { notes } from './turn/notes.ts';
import { scenarios, waitMs, type ScenarioName, type Speed } from './turn/scenarios.ts';
import { median } from './workspace/statistics.ts';

/** What is run, and how often by each contender. One more run before, fast, isn't counted. */
interface Plan {
  readonly scenario: ScenarioName;
  readonly speed: Speed;
  readonly rounds: number;
}

const plans: readonly Plan[] = [
  { scenario: 'io', speed: 'fast', rounds: 9 },
  { scenario: 'io', speed: 'slow', rounds: 3 },
  { scenario: 'cpu', speed: 'fast', rounds: 9 },
  { scenario: 'cpu', speed: 'slow', rounds: 2 },
  { scenario: 'mixed', speed: 'fast', rounds: 9 },
  { scenario: 'task', speed: 'fast', rounds: 5 },
];

type Times = Readonly<Record<ContenderName, readonly TurnTime[]>>;

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
    const found = await withTab((tab) => runPlans(tab, page.url, server.url));
    return { metrics: toMetrics(found), notes: [...notes, describeLoad()], goals };
  } finally {
    await page.close();
    await server.close();
  }
}

function peerFile(peers: PeerFiles, path: string): string | Uint8Array | undefined {
  return path.startsWith('peers/') ? peers.get(path.slice('peers/'.length)) : undefined;
}

async function runPlans(tab: Page, url: string, server: string): Promise<Map<string, Times>> {
  await tab.goto(url);
  await tab.waitForFunction(() => window.turnBench !== undefined);
  await tab.evaluate(() => window.turnBench?.open());
  const found = new Map<string, Times>();
  for (const plan of plans) {
    const name = `${plan.scenario}_${plan.speed}`;
    console.error(`bench: ${name}`);
    found.set(name, await runPlan(tab, plan, server));
  }
  return found;
}

/** The contenders take turns, each round beginning with another one. */
async function runPlan(
  tab: Page,
  { scenario, speed, rounds }: Plan,
  server: string,
): Promise<Times> {
  const baseURL = `${server}/${scenario}/${speed}`;
  const calls: readonly { readonly name: string }[] = scenarios[scenario].flat();
  const tools = [...new Set(calls.map(({ name }) => name))];
  const times = Object.fromEntries(
    contenderNames.map((name): [ContenderName, TurnTime[]] => [name, []]),
  ) as Record<ContenderName, TurnTime[]>;
  // A slow one follows a fast one: all is warm then.
  for (let round = speed === 'fast' ? -1 : 0; round < rounds; round += 1) {
    for (let place = 0; place < contenderNames.length; place += 1) {
      const name = contenderNames[(place + round + 1) % contenderNames.length] as ContenderName;
      const time = await runOnce(tab, name, { baseURL, tools });
      if (round >= 0) times[name].push(time);
    }
  }
  return times;
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

function toMetrics(found: ReadonlyMap<string, Times>): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const [plan, times] of found) {
    for (const name of contenderNames) metrics[`${plan}_${name}_ms`] = medianOf(times[name], 'ms');
  }
  const best = (plan: string) => bestPeer(found.get(plan) as Times);
  metrics['vs_best_peer_io'] = Math.min(best('io_fast'), best('io_slow'));
  metrics['vs_best_peer_cpu'] = Math.min(best('cpu_fast'), best('cpu_slow'));
  metrics['vs_best_peer_cpu_fast'] = best('cpu_fast');
  metrics['vs_best_peer_mixed'] = best('mixed_fast');
  metrics['vs_best_peer_task'] = best('task_fast');
  const cpu = found.get('cpu_fast') as Times;
  metrics['main_thread_blocked_ms'] = medianOf(cpu.rockpool, 'blockedMs');
  metrics['main_thread_blocked_max_ms'] = Math.max(...cpu.rockpool.map((time) => time.blockedMs));
  for (const name of contenderNames.filter((other) => other !== 'rockpool')) {
    metrics[`${name}_blocked_ms`] = medianOf(cpu[name], 'blockedMs');
  }
  const io = found.get('io_fast') as Times;
  metrics['slowest_call_ratio'] = medianOf(io.rockpool, 'ms') / waitMs;
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name, Number(value.toPrecision(4))]),
  );
}

/** The time of the fastest peer by ours. */
function bestPeer(times: Times): number {
  const peers = contenderNames.filter((name) => name !== 'rockpool');
  return (
    Math.min(...peers.map((name) => medianOf(times[name], 'ms'))) / medianOf(times.rockpool, 'ms')
  );
}

function medianOf(times: readonly TurnTime[], field: keyof TurnTime): number {
  return median(times.map((time) => time[field]));
}
