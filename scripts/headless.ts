/**
 * `npm run headless`: one prompt, one turn, on a folder, without the demo's page. stdout is one
 * SDKMessage a line; everything else is on stderr.
 */
import { runHeadless } from './run-headless.ts';

const controller = new AbortController();
// The first one ends the turn, the second the process: the handler is then gone.
process.once('SIGINT', () => controller.abort(new Error('Interrupted.')));

process.exitCode = await runHeadless({
  args: process.argv.slice(2),
  env: process.env,
  signal: controller.signal,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
});
