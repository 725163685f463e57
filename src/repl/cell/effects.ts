// Detects when a cell may no longer be run a second time, in case its worker is ended because of
// another call. Host functions that read the workspace don't matter. Any other host function does,
// without further exceptions.
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
    'statInode',
    'readdir',
  ],
  ...['realpath', 'readlink', 'resolve', 'loadModule', 'findTests', 'scriptNames'],
  // The cell doesn't call this itself: its world loads one of its parts.
  'part',
]);

/** Wraps host functions: all except those that read call `note` before they do anything. */
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
