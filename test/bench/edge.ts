// `npm run bench -- edge`: what a workspace in a Durable Object costs: rows, and time after the object has slept.
// What each metric is stands in edge/notes.ts.
import type { BenchResult } from '../../scripts/bench.ts';
import { goals } from './edge/goals.ts';
import { measureBeside } from './edge/measure-beside.ts';
import { measureObject } from './edge/measure-object.ts';
import { notes } from './edge/notes.ts';
import { describeLoad } from './repl/describe-load.ts';

export async function bench(): Promise<BenchResult> {
  const beside = await measureBeside();
  const measured = await measureObject();
  const {
    openMs,
    grep,
    firstGrep,
    writeRows,
    firstWriteRows,
    wakeMs,
    stepOverheadMs,
    hour,
    counts,
  } = measured;
  return {
    goals,
    notes: [...notes, describeLoad()],
    metrics: {
      open_ms: openMs,
      grep_after_sleep_ms: grep.ms,
      grep_rows: grep.rows,
      first_grep_ms: firstGrep.ms,
      first_grep_rows: firstGrep.rows,
      write_rows: writeRows,
      first_write_rows: firstWriteRows,
      wake_ms: wakeMs,
      step_overhead_ms: stepOverheadMs,
      rest_kb: measured.restKb,
      startup_ms: measured.startupMs,
      busy_hour_usd: hour.usd,
      busy_hour_rows: hour.rowsWritten,
      busy_hour_rows_read: hour.rowsRead,
      busy_hour_requests: hour.requests,
      questions_per_ms: counts.questions.median,
      checks_per_ms: counts.checks.median,
      checks_per_ms_least: counts.checks.least,
      checks_per_ms_most: counts.checks.most,
      characters_per_ms: counts.characters.median,
      characters_per_ms_least: counts.characters.least,
      characters_per_ms_most: counts.characters.most,
      upload_gz_kb: measured.uploadKb,
      upload_whole_gz_kb: measured.wholeUploadKb,
      ...beside,
    },
  };
}
