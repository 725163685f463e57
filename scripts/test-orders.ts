/**
 * `npm run test:orders`: the slow lane which shows that a test passes alone and in any order. Each
 * file runs once in a realm of its own, in each runtime. Then all files, and the tests in each, run
 * in three shuffled orders. A run that fails is repeated by the command printed above it. Arguments
 * are handed to each run, so a path or `--project node` keeps the lane to a part.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs the tests four times, whatever becomes of each, and returns how many runs were red.
 *
 * @param run runs scripts/test.ts with these arguments; true where it is green
 */
export function runOrders(
  part: readonly string[],
  run: (args: readonly string[]) => boolean,
  print: (line: string) => void,
): number {
  const seeds = Array.from({ length: 3 }, () => randomInt(1_000_000));
  const orders = [
    ['--isolate'],
    ...seeds.map((seed) => [
      '--sequence.shuffle.files',
      '--sequence.shuffle.tests',
      `--sequence.seed=${seed}`,
    ]),
  ];
  let red = 0;
  for (const order of orders) {
    const args = [...order, ...part];
    print(`npm test -- ${args.join(' ')}`);
    if (!run(args)) red += 1;
  }
  print(`${orders.length - red} of ${orders.length} runs are green`);
  return red;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'test.ts');
  const run = (args: readonly string[]): boolean =>
    spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status === 0;
  process.exitCode = runOrders(process.argv.slice(2), run, console.log) > 0 ? 1 : 0;
}
