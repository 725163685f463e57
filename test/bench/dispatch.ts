// `npm run bench -- dispatch`: what a call costs beside its own work, inline in Node. A tool that
// does nothing is called by a model that answers at once. What each metric is stands in `notes`.
import type { BenchResult } from '../../scripts/bench.ts';
import { measureSteps, withRockpool, withToolRunner } from './dispatch/client-steps.ts';
import { goals } from './dispatch/goals.ts';
import { runCalls, type CallTimes, type Setup } from './dispatch/run-calls.ts';
import { median, percentile } from './workspace/statistics.ts';

// As many calls as leave 10 000 messages behind: a question and an answer each.
const longConversation = 5_000;
// Calls 3 to 7: around message 10.
const early = { from: 2, to: 7 };
// The last 1 000 messages' calls.
const late = { from: longConversation - 500, to: longConversation };

// Of short conversations, for a percentile of 99.
const conversations = 200;
// 60 of 8 calls each: as many as what goes before the other figures.
const warmUps = 60;

const plain: Setup = { rules: 0, hooks: 0 };
const ruled: Setup = { rules: 1_000, hooks: 20 };

export async function bench(): Promise<BenchResult> {
  // Until V8 has compiled what runs often: both kinds are measured warm.
  for (const setup of [plain, ruled]) await runCalls(500, setup);
  const atStart = { plain: await manyStarts(plain), ruled: await manyStarts(ruled) };
  const atEnd = select([await runCalls(longConversation, plain)], late);
  // In turn, so that both run in the same minutes of the machine.
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = -warmUps; run < conversations; run += 1) {
    const own = await measureSteps(withRockpool, early.to + 1);
    const peer = await measureSteps(withToolRunner, early.to + 1);
    if (run < 0) continue;
    ours.push(...own.slice(early.from, early.to));
    theirs.push(...peer.slice(early.from, early.to));
  }
  return {
    goals,
    notes,
    metrics: {
      p50_us: median(callsOf(atStart.plain)),
      p99_us: percentile(callsOf(atStart.plain), 99),
      rules_p50_us: median(callsOf(atStart.ruled)),
      rules_p99_us: percentile(callsOf(atStart.ruled), 99),
      growth: median(callsOf(atEnd)) / median(callsOf(atStart.plain)),
      step_p50_us: median(atStart.plain.map(({ stepUs }) => stepUs)),
      step_at_10k_p50_us: median(atEnd.map(({ stepUs }) => stepUs)),
      client_step_p50_us: median(ours),
      tool_runner_step_p50_us: median(theirs),
    },
  };
}

async function manyStarts(setup: Setup): Promise<CallTimes[]> {
  const runs: CallTimes[][] = [];
  for (let run = 0; run < conversations; run += 1) runs.push(await runCalls(early.to + 1, setup));
  return select(runs, early);
}

function select(runs: readonly CallTimes[][], { from, to }: typeof early): CallTimes[] {
  return runs.flatMap((calls) => calls.slice(from, to));
}

function callsOf(times: readonly CallTimes[]): number[] {
  return times.map(({ callUs }) => callUs);
}

const notes: readonly string[] = [
  'p50_us, p99_us: from the moment when the loop is handed the last event of a tool_use block until ' +
    "the query's consumer has the message with its result, for a tool of one path that does nothing, " +
    'changes what it names as far as anyone knows, and is let through by a rule. All of it is on the ' +
    "agent's thread: stations 2 to 10 without 7 and 8 (docs/architecture.md), as no worker is crossed " +
    'to. Around message 10 of a conversation; 1,000 calls in 200 conversations.',
  'rules_*: the same with 1,000 permission rules (deny, ask and allow), of which the last one allows ' +
    'it, and 20 PreToolUse hooks, of which every other one is meant, and runs. 599 of the rules are ' +
    'globs that have to be held against the path, 199 of them for this very tool.',
  'growth: median around message 10 000 by median around message 10.',
  'step_*: until the next request is made; the model is one in memory.',
  "client_step_p50_us, tool_runner_step_p50_us: from a fetch's answer to the next fetch, ours over " +
    "createAnthropicModel and the Anthropic client's own toolRunner, in turn and warm, with the same " +
    'streamed answers by the same fetch; so the reading of the stream and the making of a request by ' +
    'the client are in both. 1,000 calls in 200 conversations. The toolRunner knows no permissions, ' +
    'hooks, drafts or messages to a reader.',
];
