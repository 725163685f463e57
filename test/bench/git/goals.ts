// What each metric of the git bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

/** The bounds are for the large repository; of the small one the figures are shown. */
export const localGoals: readonly BenchGoal[] = [
  { metric: 'status_ms', atMost: 100, beside: ['stock_status_ms', 'small_status_ms'] },
  { metric: 'status_reopened_ms', atMost: 1500, beside: ['small_status_reopened_ms'] },
  { metric: 'commit_ms', atMost: 150, beside: ['stock_commit_ms', 'small_commit_ms'] },
  { metric: 'switch_100_ms', atMost: 300, beside: ['small_switch_100_ms'] },
  { metric: 'checkout_ms', beside: ['stock_checkout_ms', 'small_checkout_ms'] },
  { metric: 'first_status_ms', beside: ['small_first_status_ms'] },
];

export const cloneGoals: readonly BenchGoal[] = [
  {
    metric: 'clone_vs_stock',
    atLeast: 2.5,
    beside: ['clone_ms', 'stock_clone_ms', 'small_clone_vs_stock', 'small_clone_ms'],
  },
  { metric: 'clone_peak_mb', atMost: 500, beside: ['small_clone_peak_mb'] },
];

export const besideGoals: readonly BenchGoal[] = [
  {
    metric: 'others_delay_p99_ms',
    atMost: 50,
    beside: ['others_delay_p50_ms', 'small_others_delay_p99_ms'],
  },
  {
    metric: 'page_blocked_ms',
    atMost: 50,
    beside: ['page_blocked_idle_ms', 'small_page_blocked_ms'],
  },
];
