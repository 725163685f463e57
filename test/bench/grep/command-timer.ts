// The bench's end of time-command.ts.
import { fork, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandToTime, TimedCommand } from './time-command.ts';

/** Dispose it to end its process. One command at a time. */
export interface CommandTimer extends Disposable {
  time(command: string, parameters: readonly string[], cwd: string): Promise<TimedCommand>;
}

export function startCommandTimer(): CommandTimer {
  const child = fork(fileURLToPath(new URL('time-command.ts', import.meta.url)), {
    // What it throws is said here; the bench then hears of its end.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    time: (command, parameters, cwd) =>
      new Promise((resolve, reject) => {
        const onExit = () => reject(new Error(`${command} could not be timed.`));
        child.once('exit', onExit);
        child.once('message', (timed: TimedCommand) => {
          child.off('exit', onExit);
          resolve(timed);
        });
        child.send({ command, parameters, cwd } satisfies CommandToTime);
      }),
    [Symbol.dispose]: () => void child.kill(),
  };
}

/**
 * The first of the commands that this machine has, and its version; undefined for none. What packages
 * of this repository bring isn't looked at: their ripgrep is a wasm, which takes ten times as long.
 */
export function findCommand(
  names: readonly string[],
): { readonly command: string; readonly version: string } | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const folder of folders.filter((each) => !each.includes('node_modules'))) {
    for (const name of names) {
      const command = join(folder, name);
      const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
      if (status === 0) return { command, version: stdout.split('\n')[0] ?? '' };
    }
  }
  return undefined;
}
