// What each metric of the edge bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';
import { goalsBeside } from './measure-beside.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'open_ms', atMost: 200 },
  { metric: 'grep_after_sleep_ms', atMost: 300, beside: ['first_grep_ms'] },
  { metric: 'grep_rows', atMost: 1_500, beside: ['first_grep_rows'] },
  { metric: 'write_rows', atMost: 1 },
  { metric: 'wake_ms', atMost: 200 },
  { metric: 'step_overhead_ms', atMost: 20 },
  { metric: 'rest_kb', atMost: 300 },
  { metric: 'startup_ms', atMost: 50 },
  { metric: 'busy_hour_usd', atMost: 0.01, beside: ['busy_hour_rows'] },
  { metric: 'upload_gz_kb', atMost: 700, beside: ['upload_whole_gz_kb'] },
  ...goalsBeside,
];
