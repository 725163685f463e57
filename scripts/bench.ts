/**
 * `npm run bench -- <suite> [--json]`: runs test/bench/<suite>.ts and prints its figures. With
 * `--json` the last line is one object `{ suite, metrics, notes }`. Figures are only ever printed:
 * whether they are good is for a person, or for a caller, to say.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What a suite's `bench` function resolves with. Metric names end in their unit: `read_ms`. */
export interface BenchResult {
  readonly metrics: Readonly<Record<string, number>>;
  /** Sentences that a reader of the figures needs: sizes, rounds, what was left out. */
  readonly notes: readonly string[];
}

const folder = fileURLToPath(new URL('../test/bench', import.meta.url));

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  const [suite, ...rest] = args.filter((arg) => arg !== '--json');
  const suites = listSuites();
  if (suite === undefined || rest.length > 0 || !suites.includes(suite)) {
    console.error('usage: npm run bench -- <suite> [--json]');
    console.error(`suites: ${suites.join(', ') || 'none yet'}`);
    return 2;
  }

  const module: { bench?: () => Promise<BenchResult> } = await import(
    pathToFileURL(join(folder, `${suite}.ts`)).href
  );
  if (!module.bench) throw new Error(`test/bench/${suite}.ts does not export bench()`);
  const { metrics, notes } = await module.bench();

  const width = Math.max(...Object.keys(metrics).map((name) => name.length));
  for (const [name, value] of Object.entries(metrics)) {
    console.log(`${name.padEnd(width)}  ${format(value).padStart(12)}`);
  }
  for (const note of notes) console.log(`- ${note}`);
  if (json) console.log(JSON.stringify({ suite, metrics, notes }));
  return 0;
}

function listSuites(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => basename(name, '.ts'))
    .sort();
}

/** Four digits are as many as a measurement here is good for. */
function format(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

// Exit at once: a suite's browser or worker must not keep the command hanging.
process.exit(await main(process.argv.slice(2)));
