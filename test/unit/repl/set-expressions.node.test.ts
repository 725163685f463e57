// Regular expressions with the flag `v`, of which the engine refuses some: in a cell and in modules they match as in Node.
import { expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';
import { openRepl } from '../../support/repl/repl.ts';

it('match what they match in Node', async () => {
  const code = String.raw`const texts = ['a-b', 'x--y', 'k;;v', '::', '-', 'q', '\\-', '==', 'ab', 'a&&b', 'é', '[]'];
    for (const text of texts) log(text, [/^a-b$/v, /--/v, /;;|::/v, /[\-a]/v, /(?-i:q)-?/v, /\\-/v, /(?==)==/v, /[[a-z]--[b]]/v, /(?<!-)b/v, /&&/v, /[^\-;]/v, /\[-?\]/v, /[\p{L}--[a-z]]/v, /a-b/].map((expression) => expression.exec(text)));
    log('a-b;c'.replace(/-|;/gv, '+'), 'a-b'.split(/-/v), ${'`${/-/v.test("-")}`'}, 5 /v/ 2);`;
  const start = 'const v = 1; ';
  expect(await tellInCell(start + code)).toEqual(await tellInNode(start + code));
});

it('match so where a text makes them', async () => {
  const code =
    "const flags = ['v', 'gv', 'u', '', undefined]; const make = (text, given) => new RegExp(text, given); for (const given of flags) log(given, make('a-b', given).exec('a-b'), make('[\\\\/]?a/b', given).test('/a/b'), RegExp('(?:x;;y)', given).test('x;;y'), new RegExp(/a/g, given).flags, new RegExp('[a-z]-|(?-i:q)', given ?? 'v').test('b-')); try { make('a**', 'v') } catch (error) { log(error.name) } log(new RegExp('a-b').source, new RegExp('q').flags, new (class extends RegExp {})('a-b', 'y').test('a-b')); class Own extends RegExp { constructor(text, given, more) { super(text, given); this.more = more; } } class Text { constructor(...given) { this.given = given; } } class Other extends Text { constructor() { super('a-b', 'v'); } } log(new Own('a-b', 'v', 5).exec('a-b'), new Own('/', 'v', 5).more, new Own('x').flags, new Other().given)";
  expect(await tellInCell(code)).toEqual(await tellInNode(code));
});

it('may stand in modules of both kinds, and in a function of a cell', async () => {
  const repl = await openRepl({
    'a.mjs':
      'export const parts = (text) => text.split(/;;;|;;/gv); export default /^(-?\\d*):(-?\\d*)$/v;',
    'a.cjs': 'exports.parts = (text) => text.split(new RegExp("-+", "v"));',
  });
  expect(
    await repl.value(
      "import range, { parts } from './a.mjs'; [parts('a;;b;;;c'), '-1:2'.match(range)[1], require('./a.cjs').parts('a--b'), first('a-b')]; function first(text) { return text.replace(/-.*$/v, '') }",
    ),
  ).toBe("[ [ 'a', 'b', 'c' ], '-1', [ 'a', 'b' ], 'a' ]");
});
