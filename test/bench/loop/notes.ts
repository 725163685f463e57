// What the metrics of the loop bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'overhead_ms_10, overhead_ms_10k: from the last event of a reply to the next request, with 10 (6 to 14) ' +
    'and with 10,000 (9,900 to 10,100) messages in the conversation. Between them are the end of the reply, ' +
    'a call of a tool that does nothing, its result, five or so entries of the journal and the request as ' +
    'the model is handed it; not its bytes on the wire. Inline, in Node, over a log in memory; medians, the ' +
    'short sessions after the long one.',
  'journal_entry_ms: one append after the other of a played session’s 10,000 entries (430 bytes each on ' +
    'average), encoded, sent to the FS worker and written (durability process), as the page sees it; the ' +
    'mean. Real Chromium, opfs-log. journal_entry_power_ms: 300 more, each flushed; the median. ' +
    'journal_entry_inline_ms: inline, over a log in memory; the mean.',
  'resume_10k_ms: in a page that has just opened the workspace, from openSession({ resume }) of a session of ' +
    '10,000 entries (2,500 messages) until its first kept message is there; median of 5 new pages. ' +
    'resume_10k_all_ms: until all are. resume_10k_request_ms: then, from a prompt to its first request. ' +
    'resume_10k_inline_ms: as resume_10k_ms, inline. Not in them: the page, its host and its workers.',
  'vm_bytes_per_cell: what a cell’s entry has of the VM’s state, uncompressed; the mean of 30 ordinary ' +
    'cells, the whole states among them counted in. vm_bytes_largest: the largest change.',
  'cache_read_share: of all tokens of 30 turns (Read, Grep, Edit, one message of 26 calls), by a simulated ' +
    'cache with the API’s rules: four breakpoints, 20 blocks of look-back.',
];
