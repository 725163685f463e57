// What each metric of the crossing bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'vs_raw', atMost: 1.6, beside: ['comlink_vs_raw'] },
  { metric: 'call_us', beside: ['raw_us', 'comlink_us', 'call_p99_us', 'raw_p99_us'] },
  { metric: 'megabyte_vs_raw', beside: ['comlink_megabyte_vs_raw'] },
  { metric: 'megabyte_us', beside: ['raw_megabyte_us', 'comlink_megabyte_us'] },
  { metric: 'replaced_ms', beside: ['replaced_without_spare_ms', 'raw_worker_start_ms'] },
  { metric: 'calls_per_s' },
  { metric: 'memory_growth', atMost: 1.05, beside: ['memory_mb'] },
];
