// What each metric of the MCP bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  { metric: 'connect_list_500_vs_bare', atMost: 1.2, beside: ['connect_ms', 'bare_connect_ms'] },
  {
    metric: 'page_blocked_ms',
    atMost: 50,
    beside: ['page_blocked_500_ms', 'page_blocked_many_ms', 'page_blocked_schemas_ms'],
  },
  { metric: 'call_overhead_ms', atMost: 3, beside: ['call_ms', 'bare_call_ms'] },
  { metric: 'mcp_worker_gz_kb', atMost: 105 },
  { metric: 'without_servers_files', atMost: 0 },
  { metric: 'deferred_share_500', atMost: 0.15 },
];
