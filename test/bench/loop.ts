// `npm run bench -- loop`: what a session costs beside its model and its tools. It measures the
// loop's own time, the journal, a resume, the Repl's states, and what the API's cache has. What
// each metric is stands in loop/notes.ts.
import type { BenchResult } from '../../scripts/bench.ts';
import { playCachedConversation } from '../support/models/cache-conversation.ts';
import { goals } from './loop/goals.ts';
import { measureJournal } from './loop/measure-journal.ts';
import { measureEntries, measureOverhead, measureResume } from './loop/measure-inline.ts';
import { measureStates } from './loop/measure-states.ts';
import { notes } from './loop/notes.ts';
import { describeLoad } from './repl/describe-load.ts';

const entryCount = 10_000;

export async function bench(): Promise<BenchResult> {
  const { short, long, entries: all } = await measureOverhead();
  // To the end of a turn: nothing is taken up where it was cut.
  const end = all.find(({ n, type }) => n >= entryCount && type === 'result');
  const [first] = all;
  if (!end || first?.type !== 'session') throw new Error(`There are ${all.length} entries.`);
  const entries = all.slice(0, end.n);
  const inlineEntry = await measureEntries(entries);
  const inlineResume = await measureResume(first.id, entries);
  const journal = await measureJournal(first.id, entries);
  const states = await measureStates();
  const { readShare } = await playCachedConversation();
  return {
    goals,
    notes: [...notes, describeLoad()],
    metrics: inDigits({
      overhead_ms_10: short,
      overhead_ms_10k: long,
      overhead_ratio: long / short,
      journal_entry_ms: journal.entryMs,
      journal_entry_power_ms: journal.flushedEntryMs,
      journal_entry_inline_ms: inlineEntry,
      resume_10k_ms: journal.resumeMs,
      resume_10k_all_ms: journal.resumeAllMs,
      resume_10k_request_ms: journal.resumeRequestMs,
      resume_10k_inline_ms: inlineResume,
      vm_bytes_per_cell: Math.round(states.mean),
      vm_bytes_largest: states.largest,
      cache_read_share: readShare,
    }),
  };
}

/** Four digits: more would say that the measurement is good for them. */
function inDigits(metrics: Readonly<Record<string, number>>): Record<string, number> {
  const rounded = Object.entries(metrics).map(([name, value]) => [
    name,
    Number(value.toPrecision(4)),
  ]);
  return Object.fromEntries(rounded) as Record<string, number>;
}
