// What an arrow function gives with a type before it, as TypeScript's old casts are written.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  ['const f = () => <any>{ a: 1 }; f()', '{ a: 1 }'],
  [
    'const f = (x: object) => <const>\n{ ...x, g: () => <any> /* { */ { b: "}" } }; f({ a: 1 }).g()',
    "{ b: '}' }",
  ],
  ['const f = () => <Map<string, () => void>><unknown>{ re: /}/ }.re; f()', '/}/'],
  [
    'const f = <T>(x: T) => <T>x, g = () => <number[]>[1], h = () => { return <any>2 }; [f(0), g(), h()]',
    '[ 0, [ 1 ], 2 ]',
  ],
  [
    'const text = "() => <any>{ a }", re = /=> <b>{/; const n: number = 1; [text, re.source, n]',
    "[ '() => <any>{ a }', '=> <b>{', 1 ]",
  ],
])('%s', async (code, shown) => {
  const repl = await openRepl({ 'm.ts': `export const made = (x: any) => <any>{ x };` });
  expect(await repl.value(code)).toBe(shown);
  expect(await repl.value("import { made } from './m.ts'; made(3)")).toBe('{ x: 3 }');
});

it('leaves JSX as it is', async () => {
  const repl = await openRepl({
    'node_modules/react/package.json': '{ "main": "r.js" }',
    'node_modules/react/r.js': '',
    'node_modules/react/jsx-runtime.js': 'exports.jsx = (name, props) => [name, props.children];',
  });
  expect(await repl.value('const View = ({ a }) => <b>{a}</b>; View({ a: 1 })')).toBe("[ 'b', 1 ]");
});
