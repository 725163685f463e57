// What each metric of the Glob bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'glob_ms', beside: ['glob_again_ms', 'first_glob_ms'] },
  { metric: 'after_write_ms' },
  { metric: 'rg_ms', beside: ['vs_rg_median', 'vs_rg_min'] },
  { metric: 'fd_ms', beside: ['vs_fd_median', 'vs_fd_min'] },
  { metric: 'match_ms', beside: ['picomatch_ms', 'match_vs_picomatch'] },
  { metric: 'different_answers', atMost: 0 },
];
