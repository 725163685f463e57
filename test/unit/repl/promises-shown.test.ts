// A promise is shown with what became of it, as Node shows it.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  ['new Promise(() => {})', 'Promise { <pending> }'],
  ['Promise.resolve(1)', 'Promise { 1 }'],
  ['Promise.resolve()', 'Promise { undefined }'],
  ["(async () => ({ list: ['a'] }))()", "Promise { { list: [ 'a' ] } }"],
  ["quiet(Promise.reject('no'))", "Promise { <rejected> 'no' }"],
  [
    '[Promise.resolve([1]), { own: Promise.resolve(2) }]',
    '[ Promise { [ 1 ] }, { own: Promise { 2 } } ]',
  ],
  ['Object.assign(Promise.resolve(1), { own: 2 })', 'Promise { 1, own: 2 }'],
  ['new (class Later extends Promise {})(() => {})', 'Later [Promise] { <pending> }'],
  ['Object.create(Promise.prototype)', 'Promise {}'],
  ['circle', '<ref *1> Promise { { itself: [Circular *1] } }'],
])('shows %s', async (value, text) => {
  const repl = await openRepl();
  const code = `const quiet = (promise) => { promise.catch(() => {}); return promise };
    const held = {}; const circle = Promise.resolve(held); held.itself = circle;
    console.log(${value})`;
  expect(await repl.stdout(code)).toBe(`${text}\n`);
});

it('shows a promise of an earlier cell, in a saved state and many times', async () => {
  const repl = await openRepl();
  await repl.run('const kept = Promise.resolve({ a: 1 }); const list = []; 0');
  expect(
    await repl.stdout(
      'for (let n = 0; n < 2000; n += 1) list.push(util.inspect(kept)); console.log(new Set(list), kept)',
    ),
  ).toBe("Set(1) { 'Promise { { a: 1 } }' } Promise { { a: 1 } }\n");
  const next = await repl.successor().run('console.log(kept)', { savedState: repl.savedState() });
  expect(next.stdout).toBe('Promise { { a: 1 } }\n');
});
