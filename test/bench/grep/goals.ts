// What each metric of the Grep bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'files_median', atLeast: 8, beside: ['node_files_median'] },
  { metric: 'files_min', atLeast: 1, beside: ['node_files_min'] },
  { metric: 'limited_median', atLeast: 25, beside: ['node_limited_median'] },
  { metric: 'limited_min', atLeast: 1, beside: ['node_limited_min'] },
  { metric: 'count_median', atLeast: 3, beside: ['node_count_median'] },
  { metric: 'count_min', atLeast: 0.6, beside: ['node_count_min'] },
  { metric: 'unlimited_median', atLeast: 3, beside: ['node_unlimited_median'] },
  { metric: 'unlimited_min', beside: ['node_unlimited_min'] },
  { metric: 'vs_just_bash', atLeast: 100 },
  { metric: 'index_share', atMost: 0.2 },
  { metric: 'index_mb_s', atLeast: 100 },
  { metric: 'take_mb_s' },
  { metric: 'update_p95_ms', atMost: 0.5 },
  { metric: 'reopen_index_ms', beside: ['rebuild_index_ms'] },
  { metric: 'search_mb' },
  { metric: 'files_median_3k' },
  { metric: 'files_median_30k' },
  { metric: 'different_answers', atMost: 0 },
];
