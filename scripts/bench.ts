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
  /** Null for what couldn't be measured; a note then says why. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Sentences that a reader of the figures needs: sizes, rounds, what was left out. */
  readonly notes: readonly string[];
  /** For the table alone: what a metric should be, and the metrics that are shown beside it. */
  readonly goals?: readonly BenchGoal[];
}

export interface BenchGoal {
  readonly metric: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly beside?: readonly string[];
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
  const { metrics, notes, goals = [] } = await module.bench();
  printTable(metrics, goals);
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

/** A line for each metric; those that are shown beside another have none of their own. */
function printTable(metrics: BenchResult['metrics'], goals: readonly BenchGoal[]): void {
  const beside = new Set(goals.flatMap((goal) => goal.beside ?? []));
  const names = Object.keys(metrics).filter((name) => !beside.has(name));
  const width = Math.max(...names.map((name) => name.length));
  for (const name of names) {
    const goal = goals.find(({ metric }) => metric === name);
    const others = goal?.beside?.map((other) => `${other} ${format(metrics[other])}`) ?? [];
    const line = [
      name.padEnd(width),
      format(metrics[name]).padStart(12),
      ...(goals.length > 0 ? [formatGoal(goal).padEnd(8), others.join(', ')] : []),
    ];
    console.log(line.join('  ').trimEnd());
  }
}

function formatGoal({ atMost, atLeast }: Partial<BenchGoal> = {}): string {
  if (atMost !== undefined) return `<= ${atMost}`;
  return atLeast === undefined ? '' : `>= ${atLeast}`;
}

/** Four digits are as many as a measurement here is good for. */
function format(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'none';
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

// Exit at once: a suite's browser or worker must not keep the command hanging.
process.exit(await main(process.argv.slice(2)));
