// What each metric of the dispatch bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'p50_us', atMost: 150, beside: ['p99_us'] },
  { metric: 'rules_p50_us', atMost: 400, beside: ['rules_p99_us'] },
  { metric: 'growth', atMost: 1.2 },
  { metric: 'step_p50_us', beside: ['step_at_10k_p50_us'] },
  { metric: 'client_step_p50_us', beside: ['tool_runner_step_p50_us'] },
];
