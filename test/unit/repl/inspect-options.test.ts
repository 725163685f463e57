// How much a cell is shown when it asks for more, or for less. What Node 24 says to the same.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('util.inspect', () => {
  it.each([
    ['list, { maxArrayLength: 3 }', '[ 0, 1, 2, ... 147 more items ]'],
    ['new Uint8Array(3), { maxArrayLength: 1 }', 'Uint8Array(3) [ 0, ... 2 more items ]'],
    ['new Set([1, 2]), { maxArrayLength: 0 }', 'Set(2) { ... 2 more items }'],
    ['new Map([[1, 2], [3, 4]]), { maxArrayLength: 1 }', 'Map(2) { 1 => 2, ... 1 more item }'],
    ["'abcdef', { maxStringLength: 4 }", "'abcd'... 2 more characters"],
    ["{ text: 'abcdef' }, { maxStringLength: 5 }", "{ text: 'abcde'... 1 more character }"],
    ['{ b: 1, a: 2 }, { sorted: true }', '{ a: 2, b: 1 }'],
    ['{ a: 1, b: 2 }, { sorted: (one, other) => (one < other ? 1 : -1) }', '{ b: 2, a: 1 }'],
    ['{ a: { b: { c: {} } } }, false, 0', '{ a: [Object] }'],
    ['{ a: 1, b: [2, {}] }, { compact: false }', '{\n  a: 1,\n  b: [\n    2,\n    {}\n  ]\n}'],
    ['[1, , 2], { showHidden: true }', '[ 1, <1 empty item>, 2, [length]: 3 ]'],
    ['Object.defineProperty({ v: 1 }, "hid", { value: 2 }), true, 3', '{ v: 1, [hid]: 2 }'],
    [
      '{ get a() { return 5 }, set a(v) {}, get b() { return { x: 1 } } }, { getters: true }',
      '{ a: [Getter/Setter: 5], b: [Getter] { x: 1 } }',
    ],
    [
      '{ get a() { return 5 }, set a(v) {}, get b() { return 6 } }, { getters: "get" }',
      '{ a: [Getter/Setter], b: [Getter: 6] }',
    ],
    [
      '{ get a() { throw new Error("no") } }, { getters: true }',
      '{ a: [Getter: <Inspection threw (no)>] }',
    ],
    [
      '{ a: { b: { c: { d: { e: { f: {} } } } } } }, false, null, true',
      '{ a: { b: { c: { d: { e: { f: {} } } } } } }',
    ],
  ])('shows %s', async (given, text) => {
    const repl = await openRepl();
    const code = `const list = Array.from({ length: 150 }, (_, n) => n); console.log(util.inspect(${given}))`;
    expect(await repl.stdout(code)).toBe(`${text}\n`);
  });

  it.each([
    ['Array.from({ length: 150 }, (_, n) => "n" + n)', '{ maxArrayLength: null }', "'n149'"],
    ['new Set(Array.from({ length: 150 }, (_, n) => n))', '{ maxArrayLength: Infinity }', '149'],
    [
      'Object.fromEntries(Array.from({ length: 150 }, (_, n) => ["n" + n, n]))',
      '{ maxArrayLength: null }',
      'n149: 149',
    ],
    ["'x'.repeat(20_000) + 'end'", '{ maxStringLength: null }', "xend'"],
  ])('shows all of %s with %s', async (value, options, last) => {
    const repl = await openRepl();
    const shown = await repl.stdout(`console.dir(${value}, ${options})`);
    expect(shown).toContain(last);
    expect(shown).not.toMatch(/\d more/u);
  });

  it('hands its options on to what shows itself', async () => {
    const repl = await openRepl();
    const code = `class Own { [util.inspect.custom](depth, options, inspect) { return 'Own ' + inspect([1, 2, 3], options) } }
      util.inspect({ own: new Own() }, { maxArrayLength: 1 })`;
    expect(await repl.value(code)).toBe("'{ own: Own [ 1, ... 2 more items ] }'");
  });

  it('is what a list may be mapped by', async () => {
    const repl = await openRepl();
    expect(await repl.value('[[1], "a"].map(util.inspect)')).toBe(`[ '[ 1 ]', "'a'" ]`);
  });
});
