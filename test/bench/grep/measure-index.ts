// What the index itself costs: its share of the text, how fast it is made, what a written file adds.
// Runs in a worker of the page.
import { ContentIndex } from '../../../src/search/index/content-index.ts';
import { PassageTable } from '../../../src/search/index/passage-table.ts';
import { TrigramCollector } from '../../../src/search/index/trigrams.ts';
import { median, percentile } from '../workspace/statistics.ts';

export interface IndexFigures {
  /** Bytes of bitmaps by bytes of text. */
  readonly index_share: number;
  /** Trigrams alone; and with classifying and decoding. */
  readonly index_mb_s: number;
  readonly take_mb_s: number;
  /** Of one written file: classified, decoded, indexed, in place of what was. */
  readonly update_p50_ms: number;
  readonly update_p95_ms: number;
}

export function measureIndex(contents: readonly Uint8Array[]): IndexFigures {
  const megabytes = contents.reduce((sum, { length }) => sum + length, 0) / 1e6;
  const rounds = [0, 1, 2].map(() => ({
    trigramMs: timeTrigrams(contents),
    ...timeTaking(contents),
  }));
  const { share, times } = timeTaking(contents);
  return {
    index_share: share,
    index_mb_s: (megabytes / median(rounds.map(({ trigramMs }) => trigramMs))) * 1000,
    take_mb_s: (megabytes / median(rounds.map(({ ms }) => ms))) * 1000,
    update_p50_ms: median(times),
    update_p95_ms: percentile(times, 95),
  };
}

function timeTrigrams(contents: readonly Uint8Array[]): number {
  const collector = new TrigramCollector();
  const table = new PassageTable();
  const startedAt = performance.now();
  for (const bytes of contents) {
    collector.collect(bytes);
    table.add({ start: 0, end: bytes.length, firstLine: 1 }, collector, 8);
  }
  return performance.now() - startedAt;
}

function timeTaking(contents: readonly Uint8Array[]) {
  const index = new ContentIndex();
  const times: number[] = [];
  const startedAt = performance.now();
  contents.forEach((bytes, contentId) => {
    const fileAt = performance.now();
    index.take(index.entryOf(contentId), bytes);
    times.push(performance.now() - fileAt);
  });
  const ms = performance.now() - startedAt;
  const bytes = contents.reduce((sum, { length }) => sum + length, 0);
  return { ms, times, share: index.bytes.bitmaps / bytes };
}
