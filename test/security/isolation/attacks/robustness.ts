// At the session itself: to leave it broken for the next cell.
//
// Without roll-back all cells that `spoil` do the same harm: what they show is that roll-back is
// reached, whichever way a cell ends. The others break what the session itself runs on.
import type { Attack } from '../attack.ts';

/** What must be there again when the cell has failed. */
const spoil = 'delete globalThis.kept;';

// They are quick, and whoever waits for a broken session waits for this long.
const timeout = 1_500;

export const robustnessAttacks: readonly Attack[] = [
  { name: 'throws null', cells: `${spoil} throw null`, without: 'rollback', harm: 'stuck' },
  {
    name: 'throws an error that throws when it is looked at',
    cells: `${spoil} throw Object.defineProperties(new Error(), {
      message: { get() { throw this } }, name: { get() { throw this } }, stack: { get() { throw this } }, cause: { get() { throw this } } })`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'throws a proxy that was revoked',
    cells: `${spoil} const { proxy, revoke } = Proxy.revocable(new Error(), {}); revoke(); throw proxy`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'throws what contains itself, and a million others',
    cells: `${spoil} const list = Array.from({ length: 1e5 }, (_, i) => ({ i })); list.push(list); throw Object.assign(new Error('x'.repeat(1e6)), { list, cause: list, errors: list })`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'awaits what never comes',
    cells: `${spoil} await new Promise(() => {})`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'ends by an exit code, and goes on in its catch',
    cells: `${spoil} try { process.exit(7) } catch { fs.writeFileSync('locked/terms.txt', 'owned'); await new Promise(() => {}) }`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'runs out of stack in every way that there is',
    cells: `${spoil}
      const deep = () => deep();
      const ways = [deep, () => JSON.parse('['.repeat(1e6)), () => JSON.stringify(Array.from({ length: 1e5 }).reduce((inner) => [inner], 0)),
        () => eval('('.repeat(1e5)), () => new RegExp('('.repeat(1e5)), () => { const p = new Proxy({}, { get: () => p.x }); return p.x }];
      for (const way of ways) try { way() } catch {}
      throw new Error('over')`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'rejects without anyone to see it, in an endless chain',
    cells: `${spoil} for (let i = 0; i < 1e4; i += 1) Promise.reject(new Error(String(i))); queueMicrotask(() => { throw null }); throw undefined`,
    without: 'rollback',
    harm: 'stuck',
  },
  {
    name: 'takes JSON away',
    cells: `JSON.parse = JSON.stringify = () => { throw null }; 1`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'takes the methods of arrays away',
    cells: `for (const name of Object.getOwnPropertyNames(Array.prototype)) if (typeof [][name] === 'function') Array.prototype[name] = null; Array.prototype[Symbol.iterator] = null; 1`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'takes the methods of promises away',
    cells: `Promise.prototype.then = Promise.prototype.catch = Promise.prototype.finally = null; Promise.resolve = null; 1`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'takes the functions of Object and Reflect away',
    cells: `for (const of of [Object, Reflect]) for (const name of Object.getOwnPropertyNames(of)) if (typeof of[name] === 'function') of[name] = null; 1`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'takes the methods of strings, maps and functions away',
    cells: `for (const { prototype } of [String, Map, Set, RegExp, Function]) for (const name of Reflect.ownKeys(prototype)) try { if (typeof prototype[name] === 'function') prototype[name] = null } catch {} 1`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
  {
    name: 'gives every object what only some have',
    cells: `
      for (const name of ['outcome', 'ok', 'get', 'set', 'value', 'then', 'source', 'names', 'toJSON', 'path', 'code']) {
        Object.defineProperty(Object.prototype, name, { get() { throw null }, set() { throw null }, configurable: true });
      } 1`,
    without: 'engine',
    harm: 'stuck',
    timeout,
  },
  ...[
    'Promise.prototype.then',
    'JSON.stringify',
    'Object.keys',
    'Array.prototype.map',
    'String.prototype.replace',
  ].map((name) => ({
    name: `${name} breaks once the cell has been kept`,
    cells: `
      const whole = ${name};
      let isKept = false;
      ${name} = function (...args) { if (isKept) throw null; return Reflect.apply(whole, this, args) };
      let code;
      Object.defineProperty(process, 'exitCode', { get() { isKept = true; return code }, set(value) { code = value }, configurable: true }); 1`,
    without: 'engine' as const,
    harm: 'stuck' as const,
    timeout,
  })),
];
