/**
 * Runs the tests in all three runtimes and prints `N passed, N failed` as the last line.
 * `npm test -- <path or options>` hands its arguments to vitest. The slow lane in Firefox runs only
 * when it is asked for: `npm test -- --project 'firefox*'`. A run is red when a test fails, and
 * when anything throws outside a test (a browser that could not start is only that). It is red when
 * nothing ran, and when a runtime ran no tests at all, unless the arguments asked for a part. In a
 * whole run with `CI` set, up to three files that failed run once more, each alone. A test that
 * passes then is printed as flaky, and isn't red.
 */
import { spawnSync } from 'node:child_process';
import { parseCLI, startVitest } from 'vitest/node';
import { chooseFilesAgain, countResults, listFlaky } from './count-results.ts';
import { WaitingFilesFirst } from './waiting-files-first.ts';

const runtimes = ['node', 'browser', 'workerd'];
const argumentsOfVitest = process.argv.slice(2);
const { filter, options } = parseCLI(['vitest', 'run', ...argumentsOfVitest]);

const project = options.project ?? runtimes;
// How the tests are ordered and kept apart leaves the run whole; every other option asks for a part.
const ordering = new Set(['isolate', 'sequence', '--', 'color', 'run']);
const isWhole = filter.length === 0 && Object.keys(options).every((name) => ordering.has(name));
// Whoever asks for a part, or for another order, gets each file in every runtime that is asked for.
process.env['RUNTIMES'] ??= argumentsOfVitest.length === 0 ? 'sample' : 'all';
const sequence = options.sequence ?? { sequencer: WaitingFilesFirst };
const vitest = await startVitest('test', filter, {
  ...options,
  project,
  sequence,
  watch: false,
  // Node reads the config and what it imports as they are. To bundle them took a third of a start.
  configLoader: 'native',
});
const modules = vitest.state.getTestModules();
const counts = countResults({
  modules,
  errors: vitest.state.getUnhandledErrors(),
  required: isWhole ? runtimes : [],
});
await vitest.close();

const again = isWhole && process.env['CI'] ? chooseFilesAgain(modules, counts) : [];
const flaky = listFlaky(again, (args) => {
  const { status } = spawnSync(process.execPath, [import.meta.filename, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
});
const passed = counts.passed + flaky.length;
const failed = counts.failed - flaky.length;

for (const complaint of counts.complaints) console.error(complaint);
for (const line of flaky) console.log(line);
if (counts.skipped > 0) console.log(`${counts.skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);

// Exit at once: a worker that vitest could not end must not keep a red or green run hanging.
const exitCode = flaky.length > 0 ? 0 : Number(process.exitCode ?? 0);
process.exit(failed > 0 ? 1 : exitCode);
