// What each metric of the workspace bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  {
    metric: 'import_vs_lightning_fs',
    atLeast: 10,
    beside: ['import_ms', 'lightning_fs_import_ms', 'memfs_import_ms', 'zenfs_import_ms'],
  },
  {
    metric: 'cold_open_ms',
    atMost: 100,
    beside: ['cold_host_ms', 'lightning_fs_cold_open_ms'],
  },
  {
    metric: 'durable_write_p50_ms',
    atMost: 1,
    beside: [
      'tool_write_p50_ms',
      'tool_call_write_p50_ms',
      'durable_write_p99_ms',
      'lightning_fs_write_flush_p50_ms',
      'memfs_write_p50_ms',
    ],
  },
  { metric: 'durable_write_bulk_ms', atMost: 0.1 },
  {
    metric: 'pool_read_us_per_file',
    atMost: 20,
    beside: ['pool_reread_us_per_file', 'lightning_fs_read_us_per_file', 'memfs_read_us_per_file'],
  },
  {
    metric: 'sync_read_mb_s',
    atLeast: 100,
    beside: ['sync_reread_mb_s', 'memfs_sync_read_mb_s'],
  },
  { metric: 'visible_elsewhere_p99_ms', atMost: 2, beside: ['visible_elsewhere_p50_ms'] },
  {
    metric: 'rm_tree_ms',
    atMost: 10,
    beside: ['lightning_fs_rm_tree_ms', 'memfs_rm_tree_ms'],
  },
  { metric: 'fork_us', atMost: 50 },
  { metric: 'diff_1k_ms', atMost: 10, beside: ['change_1k_ms'] },
  {
    metric: 'second_tab_first_read_ms',
    atMost: 150,
    beside: ['lightning_fs_second_tab_first_read_ms'],
  },
  {
    metric: 'rss_mb',
    atMost: 60,
    beside: [
      'rss_with_tool_worker_mb',
      'rss_without_files_mb',
      'lightning_fs_rss_mb',
      'memfs_rss_mb',
    ],
  },
  { metric: 'flat_dir_write_ms', atMost: 1 },
  {
    metric: 'write_growth',
    atMost: 1.5,
    beside: ['write_at_1k_files_ms', 'write_at_10k_files_ms', 'write_at_100k_files_ms'],
  },
];
