// Values as text, as Node shows the same.
import { expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

it.each([
  "new Blob(['abc'], { type: 'text/plain' })",
  "[new Blob([]), new File(['é'], 'a.txt', { lastModified: 5 })]",
  "(() => { const form = new FormData(); for (const value of ['1', '2', '3']) form.append('a', value); form.append('b', 'x'); return form; })()",
  "[new Headers({ a: 'b', 'x-c': 'd' }), new URLSearchParams('a=1&a=2'), new URLSearchParams()]",
  '(() => { class Day extends Date {} class Rule extends RegExp {} return [new Day(0), new Day(NaN), Object.assign(new Day(0), { n: 1 }), new Rule("a", "g"), /a/, new Date(0)]; })()',
  "{ $: 1, $a: 2, _a: 3, a1: 4, 'a-b': 5, 'é': 6 }",
])('shows %s', async (value) => {
  const code = `log(require('util').inspect(${value}, { breakLength: Infinity, compact: 9 }))`;
  expect(await tellInCell(code)).toEqual(await tellInNode(code));
});
