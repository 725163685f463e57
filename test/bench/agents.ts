// `npm run bench -- agents`: what it takes to begin an agent and to run eight at a time. It also
// measures what it takes to merge the branch of one, and to keep one at rest. What each metric is
// stands in agents/notes.ts.
import type { BenchResult } from '../../scripts/bench.ts';
import { goals } from './agents/goals.ts';
import { measureAgents } from './agents/measure-agents.ts';
import { notes } from './agents/notes.ts';
import { describeLoad } from './repl/describe-load.ts';

export async function bench(): Promise<BenchResult> {
  const measured = await measureAgents();
  const { spawnMs, oneAgentMs, eightAgentsMs, mergeMs, mergeApartMs, idleKb } = measured;
  return {
    goals,
    notes: [...notes, describeLoad()],
    metrics: {
      spawn_ms: spawnMs,
      eight_agents_ratio: eightAgentsMs / oneAgentMs,
      one_agent_ms: oneAgentMs,
      eight_agents_ms: eightAgentsMs,
      merge_100_ms: mergeMs,
      merge_100_apart_ms: mergeApartMs,
      idle_agent_kb: idleKb,
    },
  };
}
