// What each metric of the loop bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'overhead_ms_10' },
  { metric: 'overhead_ms_10k', beside: ['overhead_ratio'] },
  { metric: 'overhead_ratio', atMost: 3 },
  {
    metric: 'journal_entry_ms',
    atMost: 1,
    beside: ['journal_entry_power_ms', 'journal_entry_inline_ms'],
  },
  {
    metric: 'resume_10k_ms',
    atMost: 500,
    beside: ['resume_10k_all_ms', 'resume_10k_request_ms', 'resume_10k_inline_ms'],
  },
  { metric: 'vm_bytes_per_cell', atMost: 100_000, beside: ['vm_bytes_largest'] },
  { metric: 'cache_read_share', atLeast: 0.95 },
];
