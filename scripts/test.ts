/**
 * Runs the tests in all three runtimes and prints `N passed, N failed` as the last line.
 * `npm test -- <path or options>` hands its arguments to vitest; the slow lane in Firefox runs only
 * when it is asked for: `npm test -- --project 'firefox*'`. A run is red when a test fails, when
 * anything throws outside a test (a browser that could not start is only that), when nothing ran, and
 * when a runtime ran no tests at all, unless the arguments asked for a part.
 */
import { parseCLI, startVitest } from 'vitest/node';
import { countResults } from './count-results.ts';
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
const vitest = await startVitest('test', filter, { ...options, project, sequence, watch: false });
const { passed, failed, skipped, complaints } = countResults({
  modules: vitest.state.getTestModules(),
  errors: vitest.state.getUnhandledErrors(),
  required: isWhole ? runtimes : [],
});
await vitest.close();

for (const complaint of complaints) console.error(complaint);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);

// Exit at once: a worker that vitest could not end must not keep a red or green run hanging.
process.exit(failed > 0 ? 1 : Number(process.exitCode ?? 0));
