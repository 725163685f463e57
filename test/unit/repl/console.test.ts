import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('console', () => {
  it('writes log, info and debug to stdout, warn and error to stderr', async () => {
    const repl = await openRepl();
    const result = await repl.run(
      'console.log("l"); console.info("i"); console.debug("d"); console.warn("w"); console.error("e")',
    );
    expect(result).toMatchObject({ stdout: 'l\ni\nd\n', stderr: 'w\ne\n' });
  });

  it.each([
    [
      '"%s is %d years, %i, %f, %j, %o%%", "Ann", 41.5, 41.5, "1.5", {a: 1}, [2], "rest"',
      'Ann is 41.5 years, 41, 1.5, {"a":1}, [ 2 ]% rest',
    ],
    ['"100%", "a"', '100% a'],
    ['"%s"', '%s'],
    [
      '"text", 1, null, undefined, true, 2n, Symbol("s")',
      'text 1 null undefined true 2n Symbol(s)',
    ],
    ['{ a: "text" }, "plain"', "{ a: 'text' } plain"],
    ['', ''],
  ])('formats console.log(%s)', async (list, text) => {
    const repl = await openRepl();
    expect(await repl.stdout(`console.log(${list})`)).toBe(`${text}\n`);
  });

  it('groups, counts and asserts', async () => {
    const repl = await openRepl();
    const result = await repl.run(`
      console.group('G'); console.log('a\\nb'); console.groupEnd(); console.log('c');
      console.count(); console.count('x'); console.count(); console.countReset(); console.count();
      console.assert(1 === 1, 'not shown'); console.assert(false, 'shown %d', 1); console.assert(false);`);
    expect(result).toMatchObject({
      stdout: 'G\n  a\n  b\nc\ndefault: 1\nx: 1\ndefault: 2\ndefault: 1\n',
      stderr: 'Assertion failed: shown 1\nAssertion failed\n',
    });
  });

  it('leaves a group with its cell', async () => {
    const repl = await openRepl();
    await repl.run('console.group("G")');
    expect(await repl.stdout('console.log("a")')).toBe('a\n');
  });

  it('draws tables', async () => {
    const repl = await openRepl();
    expect(await repl.stdout('console.table([{ a: 1, b: "x" }, { a: 2 }])')).toBe(
      [
        '┌─────────┬───┬─────┐',
        '│ (index) │ a │ b   │',
        '├─────────┼───┼─────┤',
        "│ 0       │ 1 │ 'x' │",
        '│ 1       │ 2 │     │',
        '└─────────┴───┴─────┘',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [
      'new Map([["k", { a: 1 }]])',
      [
        '┌───────────────────┬─────┬──────────┐',
        '│ (iteration index) │ Key │ Values   │',
        '├───────────────────┼─────┼──────────┤',
        "│ 0                 │ 'k' │ { a: 1 } │",
        '└───────────────────┴─────┴──────────┘',
      ],
    ],
    [
      'new Set(["x"])',
      [
        '┌───────────────────┬────────┐',
        '│ (iteration index) │ Values │',
        '├───────────────────┼────────┤',
        "│ 0                 │ 'x'    │",
        '└───────────────────┴────────┘',
      ],
    ],
    [
      '[["日本", 2]], [0]',
      [
        '┌─────────┬────────┐',
        '│ (index) │ 0      │',
        '├─────────┼────────┤',
        "│ 0       │ '日本' │",
        '└─────────┴────────┘',
      ],
    ],
    [
      '[1, { a: 2 }]',
      [
        '┌─────────┬───┬────────┐',
        '│ (index) │ a │ Values │',
        '├─────────┼───┼────────┤',
        '│ 0       │   │ 1      │',
        '│ 1       │ 2 │        │',
        '└─────────┴───┴────────┘',
      ],
    ],
    ['5', ['5']],
  ])('draws a table of %s', async (list, lines) => {
    const repl = await openRepl();
    expect(await repl.stdout(`console.table(${list})`)).toBe(`${lines.join('\n')}\n`);
  });

  it('measures time', async () => {
    let time = 1_700_000_000_000;
    const sleep = (milliseconds: number) => Promise.resolve(void (time += milliseconds));
    const repl = await openRepl({}, { now: () => time, sleep });
    expect(
      await repl.stdout(
        'console.time("t"); await new Promise((done) => setTimeout(done, 25)); console.timeEnd("t")',
      ),
    ).toBe('t: 25.000ms\n');
  });
});

describe('a value as text', () => {
  it.each([
    ["'it\\'s'", '"it\'s"'],
    ['"a\\nb"', "'a\\nb'"],
    ['-0', '-0'],
    ['[1, , 3, undefined, null]', '[ 1, <1 empty item>, 3, undefined, null ]'],
    ['new Map([["k", new Set([1])]])', "Map(1) { 'k' => Set(1) { 1 } }"],
    [
      '({ "a-b": 1, [Symbol("s")]: 2, get g() { return 1 }, set g(v) {} })',
      "{ 'a-b': 1, g: [Getter/Setter], Symbol(s): 2 }",
    ],
    [
      '[() => 1, function named() {}, class A {}, class B extends Map {}, async () => {}]',
      '[\n  [Function (anonymous)],\n  [Function: named],\n  [class A],\n  [class B extends Map],\n  [AsyncFunction (anonymous)]\n]',
    ],
    [
      'Object.create(null, { a: { value: 1, enumerable: true } })',
      '[Object: null prototype] { a: 1 }',
    ],
    ['new (class Point { x = 1 })()', 'Point { x: 1 }'],
    ['new Uint8Array([1, 2])', 'Uint8Array(2) [ 1, 2 ]'],
    [
      '[new Date(0), /a/g, 3n, new String("s")]',
      "[ 1970-01-01T00:00:00.000Z, /a/g, 3n, [String: 's'] ]",
    ],
    ['const o = { a: {} }; o.a.o = o; o', '<ref *1> { a: { o: [Circular *1] } }'],
    [
      '({ a: { b: { c: { d: { e: { f: 1 } } } } } })',
      '{ a: { b: { c: { d: { e: [Object] } } } } }',
    ],
    [
      '[1, 2, 3, 4, 5, "a long text that takes half a line", "and another long text that takes the rest"]',
      '[\n  1,\n  2,\n',
    ],
    ['"x".repeat(10002)', `'${'x'.repeat(10_000)}'... 2 more characters`],
    ['Buffer.from("hi")', '<Buffer 68 69>'],
    ['new ArrayBuffer(2)', 'ArrayBuffer { [Uint8Contents]: <00 00>, [byteLength]: 2 }'],
    ['new (class Own extends Map {})()', 'Own(0) [Map] {}'],
    ['new AbortController()', 'AbortController { signal: AbortSignal { aborted: false } }'],
    ['"\\u001b[0m"', "'\\x1B[0m'"],
    ['"\\ud800 😀 \\udc00\\u0085"', "'\\ud800 😀 \\udc00\\x85'"],
    ['[Object(1n), Object(Symbol("s"))]', '[ [BigInt: 1n], [Symbol: Symbol(s)] ]'],
    [
      'new DataView(new ArrayBuffer(3), 1)',
      [
        'DataView {',
        '  [byteLength]: 2,',
        '  [byteOffset]: 1,',
        '  [buffer]: ArrayBuffer { [Uint8Contents]: <00 00 00>, [byteLength]: 3 }',
        '}',
      ].join('\n'),
    ],
    ['Promise.resolve.bind(Promise)', '[Function: bound resolve]'],
  ])('shows %s', async (code, text) => {
    const repl = await openRepl();
    const shown = (await repl.value(code))!;
    expect(shown.slice(0, text.length)).toBe(text);
  });

  it('shows an error with its stack and what it carries', async () => {
    const repl = await openRepl();
    expect(await repl.value('Object.assign(new TypeError("bad"), { code: "E1" })')).toBe(
      "TypeError: bad\n    at <anonymous> (cell-1:1) { code: 'E1' }",
    );
    expect(await repl.value('new AggregateError([new Error("a")], "all", { cause: "why" })')).toBe(
      [
        'AggregateError: all',
        '    at <anonymous> (cell-2:1) {',
        "  [cause]: 'why',",
        '  [errors]: [',
        '    Error: a',
        '        at <anonymous> (cell-2:1)',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('says the name of an error once, and what hides in one', async () => {
    const repl = await openRepl();
    expect(
      await repl.value('new (class Own extends Error { name = "Own"; code = "E1" })("bad")'),
    ).toBe("Own: bad\n    at Own (cell-1:1)\n    at <anonymous> (cell-1:1) { code: 'E1' }");
    expect(await repl.value('new SuppressedError("late", "first", "both")')).toBe(
      "SuppressedError: both\n    at <anonymous> (cell-2:1) {\n  [error]: 'late',\n  [suppressed]: 'first'\n}",
    );
  });

  it('says how much of a long list is missing', async () => {
    const repl = await openRepl();
    expect(await repl.value('Array.from({ length: 1e6 }, (_, at) => at)')).toMatch(
      /98, 99, \.\.\. 999900 more items\n\]$/u,
    );
  });

  it('that fails to be shown does not undo its cell', async () => {
    const repl = await openRepl();
    const result = await repl.run(
      'let done = true; ({ [Symbol.for("nodejs.util.inspect.custom")]() { throw new Error("no") } })',
    );
    expect(result).toMatchObject({
      rolledBack: false,
      display: expect.stringMatching(/^\(a value that could not be shown: Error: no/u),
    });
    expect(await repl.value('done')).toBe('true');
  });
});
