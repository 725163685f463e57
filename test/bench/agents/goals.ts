// What each metric of the agents bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'spawn_ms', atMost: 5 },
  { metric: 'eight_agents_ratio', atMost: 1.2, beside: ['one_agent_ms', 'eight_agents_ms'] },
  { metric: 'merge_100_ms', atMost: 150, beside: ['merge_100_apart_ms'] },
  { metric: 'idle_agent_kb', atMost: 200 },
];
