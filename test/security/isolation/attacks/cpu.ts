// Time: what would hold the page, or the session, for as long as it likes.
import type { Attack } from '../attack.ts';

// Longer than the page may be blocked, so that it is seen where it is.
const timeout = 700;

export const cpuAttacks: readonly Attack[] = [
  { name: 'a loop', cells: 'for (;;) {}', without: 'worker', harm: 'blocked', timeout },
  {
    name: 'a pattern that goes back over everything',
    cells: `/^(a+)+$/.test('a'.repeat(40) + 'b')`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'a sort whose comparison never ends',
    cells: `[2, 1].sort(() => { for (;;) {} })`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'JSON of an object that never says what it is',
    cells: `JSON.stringify([{ toJSON() { for (;;) {} } }])`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'promises that make promises',
    cells: `(function again() { Promise.resolve().then(again) })(); await new Promise(() => {})`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'an iterator without an end',
    cells: `new Set({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) })`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'a recursion that goes on in finally',
    cells: `(function again() { try { again() } finally { again() } })()`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'a value that takes for ever to be shown',
    cells: `({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;) {} } })`,
    without: 'worker',
    harm: 'blocked',
    timeout,
  },
  {
    name: 'a loop that catches everything',
    cells: `for (;;) try { for (;;) fs.readFileSync('readme.txt') } catch {}`,
    without: 'deadline',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'a built-in that the engine does not interrupt',
    cells: `new Array(1e9) + ''`,
    without: 'deadline',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'a proxy that is its own prototype',
    cells: `const self = new Proxy({}, { getPrototypeOf: () => self }); self instanceof Map`,
    without: 'deadline',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'a wait that nothing wakes',
    cells: `
      const Shared = globalThis.SharedArrayBuffer;
      const buffer = Shared ? new Shared(4) : new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer;
      Atomics.wait(new Int32Array(buffer), 0, 0)`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
];
