/**
 * Fails where the application of `npm run bench -- size` has grown by more than a tenth over what
 * scripts/size-baseline.json says. Bytes only, and no browser: the baseline names the files that one
 * asked for. `node scripts/size.ts --record` writes the baseline anew;
 * commit it with the reason.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { buildSizeApp, weigh, type SizedFile, type StageFiles } from './size-app.ts';

interface Baseline {
  readonly gzipBytes: Readonly<Record<string, number>>;
  readonly files: StageFiles;
}

const place = fileURLToPath(new URL('size-baseline.json', import.meta.url));

const slack = 1.1;

/** `all` is every file of the application, also those that few ask for. */
function weighStages(stages: StageFiles, files: ReadonlyMap<string, SizedFile>) {
  const weights = Object.entries(stages).map(([stage, names]) => [
    stage,
    weigh(names, files).gzipBytes,
  ]);
  const all = weigh([...files.keys()], files).gzipBytes;
  return Object.fromEntries([...weights, ['all', all]]) as Record<string, number>;
}

/** Sentences; none where nothing has grown. */
export function compareSizes(
  baseline: Baseline,
  files: ReadonlyMap<string, SizedFile>,
): readonly string[] {
  const missing = Object.values(baseline.files)
    .flat()
    .filter((name) => !files.has(name));
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(', ');
    return [`the application has no ${names} any more: record the baseline anew, and say why`];
  }
  return Object.entries(weighStages(baseline.files, files)).flatMap(([stage, bytes]) => {
    const recorded = baseline.gzipBytes[stage] ?? 0;
    if (bytes <= recorded * slack) return [];
    const percent = Math.round((bytes / recorded - 1) * 100);
    return `${stage} has ${bytes} bytes gzipped, ${percent} % more than the recorded ${recorded}`;
  });
}

async function record(files: ReadonlyMap<string, SizedFile>): Promise<void> {
  const { findStageFiles } = await import('../test/bench/size.ts');
  const stages = await findStageFiles(files);
  const baseline: Baseline = { gzipBytes: weighStages(stages, files), files: stages };
  writeFileSync(place, await format(JSON.stringify(baseline), { parser: 'json', printWidth: 100 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = await buildSizeApp();
  if (process.argv.includes('--record')) await record(files);
  const baseline = JSON.parse(readFileSync(place, 'utf8')) as Baseline;
  const complaints = compareSizes(baseline, files);
  for (const complaint of complaints) console.error(complaint);
  console.log(JSON.stringify(weighStages(baseline.files, files)));
  // Chromium or Vite may have left something open.
  process.exit(complaints.length > 0 ? 1 : 0);
}
