// What the metrics of the edge bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'All in one Durable Object of real workerd, over its SQLite on this disk: 5,000 files of 4 kB, imported directory by directory.',
  'A sleep is an instance that is dropped (`ctx.abort`); the next request begins a new one.',
  'open_ms: from a request that wakes the object to its answer, with the workspace open. Median of 5 sleeps.',
  'grep_after_sleep_ms: a Grep for a word that is in ten files, in a workspace that has just been opened, when an ' +
    'earlier instance has searched it. Median of 5 sleeps. first_grep_ms: the same before any search.',
  'grep_rows, first_grep_rows: rows that SQLite reads for that Grep, as it bills them.',
  'write_rows: rows that SQLite writes for one small `workspace.fs.writeFile`, as it bills them. first_write_rows: for the first one after a sleep, which takes the ownership and begins a segment; an instance that only reads writes none.',
  'wake_ms: from a request that wakes the object to the first message of its session. Median of 5 sleeps.',
  'step_overhead_ms: a turn of 100 steps, each an alarm, less the same turn in one event; a hundredth of it.',
  'rest_kb: what a session keeps of the isolate’s memory (heap and buffers) while it sleeps in an instance that lives, ' +
    'of 100 that wrote, searched and ran a cell.',
  'startup_ms: processor time until a new workerd has answered, less that of a Worker that does nothing. Median of 5.',
  'busy_hour_usd: 20 prompts, 80 model requests and 120 calls over 5,000 files, asleep before each prompt. Rows, alarms ' +
    'and computing are counted; a model’s answer is taken for 30 s, and 10 s until it sleeps. Prices of October 2026: ' +
    '12.50 $ a million GB-s (0.128 GB), rows written 1 $ and read 0.001 $ a million, requests 0.15 $ a million.',
  'questions_per_ms: how often the sandbox’s engine asks in a millisecond of the processor; the median of kinds of cells.',
  'checks_per_ms: the same of a search’s pattern, by kinds of patterns over one text of 2 MB. characters_per_ms: those that ' +
    'go to a model and come from it, by kinds of conversations. _least and _most are the ends among the kinds.',
  'upload_gz_kb: the bundle of the bench with the engine’s wasm, minified, each chunk gzipped. upload_whole_gz_kb: all ' +
    'of it gzipped as one, as `wrangler deploy` reports it.',
  'files_…: a workspace beside `@cloudflare/shell` and `@cloudflare/computer`, each in Durable Objects of its own Worker, ' +
    'in one workerd over one disk; theirs has node compatibility, which they need. 500 files of 1 to 4 kB are written, the ' +
    'first 100 of them with other bytes, read in their order and in another one, listed 10 times by 10 directories, looked at; and ' +
    'one of 1 MB. _asleep: by an instance that the request wakes. Each is one request, one operation after the other. What is below 1, and why: docs/decisions/0059.',
  'turn_…: a session object beside `@cloudflare/think` as it is: a prompt, three calls of their own tools (write, read, ' +
    'edit) and an answer of 1 kB, streamed by a model in the isolate. Ours takes each step in an event of its own.',
  '…_vs_…: the peer’s median by ours, of 7 rounds in which they take turns, after 2 that don’t count.',
];
