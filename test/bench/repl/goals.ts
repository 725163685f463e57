// What each metric of the Repl bench should be, and what the table shows beside it.
import type { BenchGoal } from '../../../scripts/bench.ts';

export const goals: readonly BenchGoal[] = [
  {
    metric: 'cold_ms',
    atMost: 150,
    beside: [
      'quickjs_wasi_cold_ms',
      'quickjs_emscripten_cold_ms',
      'codemode_first_ms',
      'js_exec_first_ms',
    ],
  },
  {
    metric: 'warm_ms',
    atMost: 5,
    beside: [
      'fresh_session_ms',
      'quickjs_wasi_warm_ms',
      'quickjs_emscripten_warm_ms',
      'codemode_run_ms',
      'js_exec_run_ms',
    ],
  },
  { metric: 'job_ms', beside: ['codemode_job_ms', 'js_exec_job_ms'] },
  {
    metric: 'quickjs_geomean_x',
    beside: ['quickjs_wasi_geomean_x', 'quickjs_emscripten_geomean_x'],
  },
  { metric: 'stat_us', atMost: 8 },
  { metric: 'read4k_bytes_us', atMost: 15 },
  { metric: 'read4k_text_us', atMost: 30 },
  { metric: 'cold_read_mb_s', atLeast: 100, beside: ['cold_read_text_mb_s', 'reread_mb_s'] },
  { metric: 'nested_tool_ms', atMost: 1 },
  { metric: 'snapshot_ms', beside: ['snapshot_mb'] },
  { metric: 'restore_ms' },
  { metric: 'snapshot_200k_ms', beside: ['snapshot_200k_mb', 'warm_200k_ms'] },
  { metric: 'restore_200k_ms' },
  { metric: 'cut_interrupt_ms', atMost: 100, beside: ['cut_interrupt_back_ms'] },
  { metric: 'cut_ms', atMost: 400, beside: ['cut_kill_settled_ms', 'cut_kill_back_ms'] },
  { metric: 'payload_gz_kb', atMost: 360 },
];
