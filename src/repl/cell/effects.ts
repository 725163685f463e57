// Which of a cell's host calls leave it free to be run a second time, should its worker be ended for
// another call's sake: those that read the workspace. Anything else a cell asks of its host only once,
// though it would change nothing: one rule without a list of what is harmless besides.
import type { HostFunction } from '../vm/engine.ts';

const reading: ReadonlySet<string> = new Set([
  ...[
    'readText',
    'readBytes',
    'readPart',
    'exists',
    'access',
    'stat',
    'lstat',
    'statTime',
    'readdir',
  ],
  ...['realpath', 'readlink', 'resolve', 'loadModule', 'findTests'],
  // Not the cell's own call: its world loads a part of itself.
  'part',
]);

/** The same functions; all but those that read call `note` before they do anything. */
export function notingEffects(
  functions: Readonly<Record<string, HostFunction>>,
  note: () => void,
): Readonly<Record<string, HostFunction>> {
  const wrap = (run: HostFunction): HostFunction => {
    return (...args) => {
      note();
      return run(...args);
    };
  };
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]) => [name, reading.has(name) ? run : wrap(run)]),
  );
}
