// Notes when a cell may no longer be run a second time (if its worker is ended because of another
// call). Host calls that read the workspace leave that possible. Any other host call ends it. That
// is one rule, without a list of further harmless calls.
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
  // The cell itself doesn't call this: its world loads a part of itself.
  'part',
]);

/** The same functions. All of them except those that read call `note` before they do anything. */
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
