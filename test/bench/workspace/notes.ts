// What the metrics of the workspace bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'Corpus: 10,000 files of 41 MB of text (seeded, lengths spread exponentially around 4 KB), 20 a ' +
    'directory. Real Chromium, pages and workers cross-origin isolated for clocks of 5 µs; nothing ' +
    'makes use of the isolation. Ours is createBrowserHost with the opfs-log driver, its own FS ' +
    'worker and tool workers; each peer is in a worker of its own. Compare within one run.',
  'import_vs_lightning_fs: medians of 3 rounds, each in a fresh profile, ours then theirs. Ours: ' +
    'importFiles of bytes that the page holds, to its acknowledgement (each batch flushed), the way ' +
    'into the worker and the feeding of a tool worker included. Theirs: bytes that its worker holds, ' +
    'mkdir and writeFile, 64 in flight, and one flush() at the end. ZenFS is on its IndexedDB ' +
    'backend and is given 60 s.',
  "cold_open_ms: the FS worker's open (lock, log, tree) and the first file's bytes as the page sees " +
    'them; not in it: loading the workers’ code. cold_host_ms is all, from the call of ' +
    'createBrowserHost: FS worker and tool worker loaded and booted, then the first file. Median of ' +
    '5 new pages in a browser that was started after the corpus was written; the system’s file cache ' +
    'is warm. Theirs: constructor and first readFile.',
  'durable_write_p50_ms: a commit of 1 KB (an overwrite, durability power) as the page sees it, from ' +
    'the call to the acknowledgement, one after the other; 400 after a warm-up of 200. A tool worker ' +
    'holds no way to write: its change set goes by the page. tool_write_p50_ms is that whole way, ' +
    'from the write in a tool’s handler to the acknowledgement on the page; tool_call_write_p50_ms ' +
    'begins with the call on the page. Theirs: writeFile and flush().',
  'durable_write_bulk_ms: the same with 320 commits in flight, time for all by 320; median of 15.',
  'pool_read_us_per_file: a tool in a worker that has just started reads 5,000 files as text by ' +
    'readMany, 64 at a time; median of 3 workers. pool_reread_us_per_file: the same again in ' +
    'the same worker. Theirs: 64 readFile in flight, in the worker that has opened it; memfs holds ' +
    'all in memory.',
  'sync_read_mb_s: readFileSync as text over the same 5,000 files, in a worker that has just ' +
    'started; sync_reread_mb_s: again.',
  'visible_elsewhere_p99_ms: from the acknowledgement of a write on the page to a tool in the tool ' +
    'worker having read the new text, the dispatch of its call included; 500 after 50.',
  'rm_tree_ms: rm -r of 10,000 files, durable; median of 5 copies (cp shares contents). ' +
    'Theirs: readdir, unlink, rmdir and one flush().',
  'fork_us, diff_1k_ms: in a worker, over a memory workspace that holds the corpus. fork: openView, ' +
    'the mean of 1,000; change_1k_ms: writeFileSync to 1,000 files in all directories; diff: the ' +
    'view’s changeSet(). Medians of 20 rounds after 5.',
  'second_tab_first_read_ms: from createBrowserHost in a second page to the first file’s bytes, the ' +
    'start of its workers included, while the first page writes every 100 ms; the median of 5 such ' +
    'pages, one after the other. Theirs: constructor and first readFile in a second page’s worker, ' +
    'while the first page writes for 3 s.',
  'rss_mb: resident memory of the renderer with the workspace open and nothing read, less that of a ' +
    'renderer with an empty page; after a garbage collection in page and workers (the spare tool ' +
    'worker excepted), once it has stayed the same for 1.8 s. rss_without_files_mb: the same with an empty ' +
    'workspace, which is what page, FS worker and the spare cost by themselves. ' +
    'rss_with_tool_worker_mb: after a first call, so with a tool worker’s replica and another spare. ' +
    'lightning-fs has one worker and has read its names; memfs holds the contents.',
  'flat_dir_write_ms, write_growth: a durable commit of a new file of 1 KB, as the page sees it, in ' +
    'workspaces of 1,000, 10,000 and 100,000 files (256 bytes on average, 20 a directory) and of ' +
    '50,000 in one directory; all four are open at once and written to in turn, 250 rounds after 50.',
];
