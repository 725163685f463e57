// What the metrics of the edge bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'All in one Durable Object of real workerd, over its SQLite on this disk: 5,000 files of 4 kB, imported directory by directory.',
  'A sleep is an instance that is dropped (`ctx.abort`); the next request begins a new one.',
  'open_ms: from a request that wakes the object to its answer, with the workspace open. Median of 5 sleeps.',
  'grep_after_sleep_ms: a Grep for a word that is in ten files, in a workspace that has just been opened, when an ' +
    'earlier instance has searched it. Median of 5 sleeps. first_grep_ms: the same before any search.',
  'grep_rows, first_grep_rows: rows that SQLite reads for that Grep, as it bills them.',
  'write_rows: rows that SQLite writes for one small `workspace.fs.writeFile`, as it bills them.',
  'wake_ms: from a request that wakes the object to the first message of its session. Median of 5 sleeps.',
  'step_overhead_ms: a turn of 100 steps, each an alarm, less the same turn in one event; a hundredth of it.',
  'upload_gz_kb: the bundle of the bench with the engine’s wasm, minified and gzipped.',
];
