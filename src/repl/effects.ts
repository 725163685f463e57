// Which of a cell's host calls leave it free to be run a second time, should its worker be ended for
// another call's sake: those that change nothing and tell a second run what they told the first, as
// long as the workspace is the same. Anything else a cell asks of its host only once.
import type { HostFunction } from './engine.ts';

const harmless: ReadonlySet<string> = new Set([
  // They read the workspace.
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
  // They tell of the call, which is the same for both runs.
  ...['cwd', 'toolNames', 'checkHandles'],
  // They compute from their arguments.
  ...['encodeText', 'decodeText', 'hash', 'parseUrl', 'parseQuery', 'writeQuery', 'globSource'],
  // Not the cell's own call: its world loads a part of itself.
  'part',
]);

/** The same functions; all but the harmless call `note` before they do anything. */
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
    Object.entries(functions).map(([name, run]) => [name, harmless.has(name) ? run : wrap(run)]),
  );
}
