// What the metrics of the agents bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'All in one tab of real Chromium on OPFS, in a workspace of 2,000 files of 2 kB.',
  'spawn_ms: from the dispatch of the call to the agent’s first request, as the model is handed it: its output ' +
    'file, the record of its beginning, flushed to the disk, and all that an agent is made of. Median of 40 agents, ' +
    'one after the other, after 5 more.',
  'eight_agents_ratio: eight_agents_ms by one_agent_ms, from the reply that begins them to the end of the turn ' +
    'that is told the last report. Each has 4 requests, answered after 500 ms, and 3 calls of Read. Medians of 3.',
  'merge_100_ms: roots.merge of a branch with 100 changed files into main, which has changed other lines of the ' +
    'same files since; without a conflict. merge_100_apart_ms: where main has changed another file. Medians of ' +
    '10, after 1 more.',
  'idle_agent_kb: what the page’s heap has more for each of 50 agents that have reported, after a collection of ' +
    'garbage: its entries and messages (4 requests, 3 calls of Read), and its call in the session’s own ' +
    'conversation. Not in it: what the workers hold.',
];
