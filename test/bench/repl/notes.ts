// What the metrics of the Repl bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'Real Chromium; pages and workers are cross-origin isolated for clocks of 5 µs, and nothing makes ' +
    'use of the isolation. Ours is createBrowserHost with its own FS worker and the opfs-log driver; ' +
    'cells run in the tool worker. The guest’s clock has whole milliseconds, so what is timed inside ' +
    'a cell is many calls. On a machine that does other work compare within one run only.',
  'cold_ms: from a host’s first Repl call to its answer on the page: engine, glue and parser fetched ' +
    'over loopback and compiled, the VM booted. Median of 11, each in a new browser with an empty ' +
    'profile. The host has a tool worker loaded by then, and so has each bare engine its worker: ' +
    'theirs is from the fetch of their code to their first evaluation.',
  'warm_ms: a small cell in a warm session, from the call on the page to the answer on the page, the ' +
    'snapshot that is kept after each cell included; median of 300. fresh_session_ms: the first cell ' +
    'of a session in a worker that has run others. Bare engines: one evaluation, through comlink, ' +
    'with nothing kept. codemode_run_ms and js_exec_run_ms: the same expression; each call is a new ' +
    'frame (Chromium, a page without a policy) or a new thread and context (Node).',
  'job_ms: the kernel log_job with its preparation, as one whole call of each.',
  'quickjs_geomean_x: time by plain V8’s in the same run, geometric mean over 13 kernels; each is run ' +
    'for 60 ms after one warm-up, median of 3 rounds in turn. kernel_*_x: ours by kernel. ' +
    'quickjs_wasi is the very same engine without a session.',
  'stat_us, read4k_*_us: statSync and readFileSync in a cell, 20,000 calls over 1,000 files of 4 KB ' +
    'that were read before; median of 5 cells, the loop included.',
  'cold_read_mb_s: 5,000 files of 20 MB (lengths spread exponentially around 4 KB), each read once as ' +
    'bytes by a cell in a tool worker that has just started; cold_read_text_mb_s: as text; ' +
    'reread_mb_s: as bytes, again. The system’s file cache is warm. Medians of 3 workers.',
  'nested_tool_ms: await tools.X() of a tool that does nothing, on the agent’s thread; mean of 80 ' +
    'calls, median of 9 cells.',
  'snapshot_ms, restore_ms: the engine’s own, in the tool worker, of a session that holds nothing ' +
    '(median of 30) and of 200,000 objects of two properties (median of 7). warm_200k_ms: a small ' +
    'cell in such a session, with the state copied and sent to the page.',
  'cut_*: through the whole agent; the deadline is the cell’s timeout (500 ms) counted from the ' +
    'call’s start. *_settled, and cut_interrupt_ms: until the conversation has the result. *_back: ' +
    'until a next cell has read the session’s variable as it was. cut_ms is the worse *_back of ' +
    "for(;;){} (median of 7) and of new Array(1e9)+'' (median of 5), where the worker is killed.",
  'payload_gz_kb: all files that the tool worker fetches before its first JavaScript cell has ' +
    'answered, as the server saw it, each gzipped by itself (level 6, kB of 1,000 bytes); the page ' +
    'is built by Vite with its default minifier. The engine, the guest’s world and what strips types ' +
    'are among them.',
];
