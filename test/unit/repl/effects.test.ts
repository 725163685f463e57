import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  ['computes', 'let sum = 0; for (let i = 0; i < 9; i += 1) sum += i; sum', 0],
  [
    'reads files, whichever way',
    `[fs.readdirSync('.'), fs.statSync('a.js'), fs.existsSync('no'), await fs.promises.readFile('a.js')]`,
    0,
  ],
  ['loads modules', `import { a } from './a.js'; [a, require('./a.js').a]`, 0],
  ['asks where it is', 'process.cwd()', 1],
  ['asks for the names of its tools', 'Object.keys(tools)', 1],
  ['has text encoded', `new TextEncoder().encode('é')`, 1],
  ['has a hash made', `require('crypto').createHash('md5').update('').digest('hex')`, 1],
  ['shows a value by a part of the world', 'new Map([[new Date(0), [{}]]])', 0],
  ['prints', 'console.log(1)', 1],
  ['writes a file', `fs.writeFileSync('b', ''); fs.writeFileSync('c', '')`, 1],
  ['opens a file, which may make it', `fs.closeSync(fs.openSync('a.js'))`, 1],
  ['has a host call refused', `try { fs.writeFileSync('/outside', '') } catch {}`, 1],
  ['asks for the time', 'new Date()', 1],
  ['asks for chance', 'Math.random()', 1],
  ['waits', 'await new Promise((done) => setTimeout(done))', 1],
  ['has a digest made', `await crypto.subtle.digest('SHA-1', new Uint8Array(1))`, 1],
  ['calls a tool', 'await tools.Look()', 1],
  ['fetches', `await fetch('https://a.net').catch(() => {})`, 1],
])('tells once that a cell is not to be run again: it %s', async (_what, code, times) => {
  const repl = await openRepl({ 'a.js': 'export const a = 1;' });
  let told = 0;
  const { error } = await repl.run(code, {
    tools: { names: ['Look'], call: () => Promise.resolve(1) },
    onEffect: () => void (told += 1),
  });
  expect([error, told]).toEqual([undefined, times]);
});
