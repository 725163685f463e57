// All that the bench `agents` measures, in one tab of real Chromium, on OPFS.
import type { Page } from 'playwright';
import { serveBuiltPage } from '../../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../../support/browser/isolating-headers.ts';
import type { AgentPlan, TalkTimes } from '../pages/agents/agent-talk.ts';
// Declares window.agentsBench.
import type {} from '../pages/agents/page.ts';
import { withTab } from '../repl/bench-page.ts';
import { median } from '../workspace/statistics.ts';

const files = 2_000;
const changed = 100;
const mergeRounds = 11;
const spawnRounds = 45;
const waitRounds = 3;
/** As many as a session may begin. */
const agentsAtRest = 50;
const requestsOfIdle = 4;

/** Times in milliseconds, and kilobytes of 1 024. */
export interface AgentFigures {
  readonly spawnMs: number;
  readonly oneAgentMs: number;
  readonly eightAgentsMs: number;
  /** Of a branch, where `main` has changed the same files, and where it hasn't. */
  readonly mergeMs: number;
  readonly mergeApartMs: number;
  readonly idleKb: number;
}

export async function measureAgents(): Promise<AgentFigures> {
  const built = await serveBuiltPage({
    page: 'test/bench/pages/agents.html',
    headers: isolatingHeaders,
  });
  try {
    return await withTab(async (tab) => {
      await tab.goto(built.url);
      await tab.waitForFunction(() => window.agentsBench !== undefined);
      const driver = await tab.evaluate((count) => window.agentsBench!.open(count), files);
      if (driver !== 'opfs-log') throw new Error(`The workspace is kept by ${driver}.`);
      return {
        ...(await measureSpawn(tab)),
        ...(await measureWaiting(tab)),
        idleKb: await measureIdle(tab),
        mergeApartMs: await measureMerge(tab, false),
        mergeMs: await measureMerge(tab, true),
      };
    });
  } finally {
    await built.close();
  }
}

async function measureSpawn(tab: Page): Promise<Pick<AgentFigures, 'spawnMs'>> {
  await openTalk(tab);
  const { spawnMs } = await begin(tab, { count: spawnRounds, requests: 1, delayMs: 0 });
  // The first ones run code that isn't compiled yet.
  return { spawnMs: median(spawnMs.slice(5)) };
}

/** Each agent waits two seconds for its model, in all. */
async function measureWaiting(
  tab: Page,
): Promise<Pick<AgentFigures, 'oneAgentMs' | 'eightAgentsMs'>> {
  const plan = { sideBySide: true, requests: 4, delayMs: 500 };
  await openTalk(tab);
  const one: number[] = [];
  const eight: number[] = [];
  for (let round = 0; round < waitRounds; round += 1) {
    one.push((await begin(tab, { ...plan, count: 1 })).wholeMs);
    eight.push((await begin(tab, { ...plan, count: 8 })).wholeMs);
  }
  return { oneAgentMs: median(one), eightAgentsMs: median(eight) };
}

/** What the page's heap has more, for each of the agents that have reported. */
async function measureIdle(tab: Page): Promise<number> {
  const plan = { requests: requestsOfIdle, delayMs: 0 };
  await openTalk(tab);
  await begin(tab, { ...plan, count: 0 });
  const before = await readHeap(tab);
  await begin(tab, { ...plan, count: agentsAtRest });
  return ((await readHeap(tab)) - before) / 1024 / agentsAtRest;
}

async function measureMerge(tab: Page, both: boolean): Promise<number> {
  const times = await tab.evaluate(
    ([rounds, count, same]) => window.agentsBench!.merge(rounds, count, same),
    [mergeRounds, changed, both] as const,
  );
  return median(times.slice(1));
}

const openTalk = (tab: Page) => tab.evaluate(() => window.agentsBench!.openTalk());

const begin = (tab: Page, plan: AgentPlan): Promise<TalkTimes> =>
  tab.evaluate((given) => window.agentsBench!.begin(given), plan);

/** The page's own, in bytes, when all that can go is gone. */
async function readHeap(tab: Page): Promise<number> {
  const client = await tab.context().newCDPSession(tab);
  await client.send('HeapProfiler.enable');
  await client.send('HeapProfiler.collectGarbage');
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return usedSize;
}
