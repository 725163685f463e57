// What each metric of the tokens bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'initial_core', atMost: 6_000, beside: ['initial_core_system', 'initial_core_tools'] },
  {
    metric: 'deferred_share_500',
    atMost: 0.15,
    beside: ['deferred_500_tokens', 'inline_500_tokens'],
  },
  { metric: 'cache_eligible', atLeast: 0.95, beside: ['cache_eligible_wire'] },
  { metric: 'cache_eligible_plain', atLeast: 0.85 },
  { metric: 'recall5_500', atLeast: 0.95, beside: ['recall5_500_tune', 'recall5_500_final'] },
  { metric: 'recall5_5000', atLeast: 0.9, beside: ['recall5_5000_tune', 'recall5_5000_final'] },
  { metric: 'search_ms_5000', atMost: 20, beside: ['search_p99_ms_5000', 'search_first_ms_5000'] },
];
