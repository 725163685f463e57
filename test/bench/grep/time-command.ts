// Runs commands and takes their time, in a process that is small. To fork from one with the corpus
// in memory would be counted as the command's own. Started by command-timer.ts.
import { spawnSync } from 'node:child_process';

/** What is to be run, and where. */
export interface CommandToTime {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly cwd: string;
}

export interface TimedCommand {
  readonly ms: number;
  /** Of its output, read through a pipe. */
  readonly lines: number;
  /** The last numbers of all lines together: what `-c` counts. */
  readonly sum: number;
}

process.on('message', ({ command, parameters, cwd }: CommandToTime) => {
  const startedAt = performance.now();
  const { stdout, status, error } = spawnSync(command, parameters, {
    cwd,
    // 1 GB: more than any output here.
    maxBuffer: 1_073_741_824,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ms = performance.now() - startedAt;
  // 1: nothing was found.
  if (error || (status !== 0 && status !== 1)) throw error ?? new Error(`${command}: ${status}`);
  const lines = stdout.toString('latin1').split('\n').slice(0, -1);
  const sum = lines.reduce((all, line) => all + Number(/\d+$/u.exec(line)?.[0] ?? 0), 0);
  process.send?.({ ms, lines: lines.length, sum } satisfies TimedCommand);
});
