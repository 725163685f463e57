// Snapshots as vitest and jest keep them.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

/** A test file that asks for one inline snapshot of each of these values. */
function inlineTest(cases: readonly (readonly [value: string, snapshot: string])[]): string {
  const lines = cases.map(
    ([value, snapshot]) =>
      `  expect(${value}).toMatchInlineSnapshot(\`${snapshot.replace(/[\\`]|\$\{/gu, '\\$&')}\`);`,
  );
  return `import { expect, it, vi } from 'vitest';\nclass Point { constructor(x) { this.x = x; } }\nit('prints', () => {\n${lines.join('\n')}\n});`;
}

it('prints values as pretty-format does', async () => {
  const repl = await openRepl({
    'a.test.js': inlineTest([
      ['\'it is "quoted"\'', '"it is "quoted""'],
      ["'two\\nlines'", '\n    "two\n    lines"\n  '],
      [
        '{ b: 1, a: [1, [], {}], c: undefined }',
        '\n    {\n      "a": [\n        1,\n        [],\n        {},\n      ],\n      "b": 1,\n      "c": undefined,\n    }\n  ',
      ],
      [
        '[new Point(1), null, -0, 5n, Symbol("s")]',
        '\n    [\n      Point {\n        "x": 1,\n      },\n      null,\n      -0,\n      5n,\n      Symbol(s),\n    ]\n  ',
      ],
      [
        'new Map([["k", new Set([1])]])',
        '\n    Map {\n      "k" => Set {\n        1,\n      },\n    }\n  ',
      ],
      [
        '[new Date(0), /a.b/g, () => {}, new RangeError("far")]',
        '\n    [\n      1970-01-01T00:00:00.000Z,\n      /a\\.b/g,\n      [Function],\n      [RangeError: far],\n    ]\n  ',
      ],
      [
        '[, new DataView(new ArrayBuffer(1))]',
        '\n    [\n      ,\n      DataView [\n        0,\n      ],\n    ]\n  ',
      ],
      ['new Uint8Array([1, 2])', '\n    Uint8Array [\n      1,\n      2,\n    ]\n  '],
      [
        '(() => { const a = { name: "x" }; a.self = a; return a; })()',
        '\n    {\n      "name": "x",\n      "self": [Circular],\n    }\n  ',
      ],
      [
        '{ [Symbol("key")]: Object.create(null), toJSON: undefined }',
        '\n    {\n      "toJSON": undefined,\n      Symbol(key): {},\n    }\n  ',
      ],
    ]),
  });
  expect((await repl.run('await runTests()')).stdout).toContain('Tests  1 passed (1)');
});

const projectTest = [
  "import { expect, it } from 'vitest';",
  "import { make } from './make.js';",
  "it('makes', () => {",
  '  expect(make(1)).toMatchSnapshot();',
  "  expect(make(2)).toMatchSnapshot('second');",
  '  expect({ id: Math.random(), at: { deep: 1 } }).toMatchSnapshot({ id: expect.any(Number) });',
  '  expect(() => make(-1)).toThrowErrorMatchingSnapshot();',
  '  expect(() => make(-1)).toThrowErrorMatchingInlineSnapshot(`[Error: none]`);',
  '  expect(() => make(-1)).toThrowErrorMatchingInlineSnapshot(`"none"`);',
  '});',
].join('\n');
const make =
  "export const make = (n) => { if (n < 0) throw new Error('none'); return { text: '`' + n + '${n}\\\\' }; };";

it('writes what is new beside the test file, and compares with it from then on', async () => {
  const repl = await openRepl({ 'src/a.test.js': projectTest, 'src/make.js': make });
  const first = await repl.run('await runTests()');
  expect(first.stdout).toContain('  Snapshots  4 written\n');
  const file = await repl.value("fs.readFileSync('src/__snapshots__/a.test.js.snap', 'utf8')");
  expect(file).toContain('// Vitest Snapshot v1');
  expect(
    await repl.stdout(
      "process.stdout.write(fs.readFileSync('src/__snapshots__/a.test.js.snap', 'utf8'))",
    ),
  ).toBe(
    [
      '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html',
      '',
      'exports[`makes > second 1`] = `',
      '{',
      '  "text": "\\`2\\${n}\\\\",',
      '}',
      '`;',
      '',
      'exports[`makes 1`] = `',
      '{',
      '  "text": "\\`1\\${n}\\\\",',
      '}',
      '`;',
      '',
      'exports[`makes 2`] = `',
      '{',
      '  "at": {',
      '    "deep": 1,',
      '  },',
      '  "id": Any<Number>,',
      '}',
      '`;',
      '',
      'exports[`makes 3`] = `[Error: none]`;',
      '',
    ].join('\n'),
  );
  const second = await repl.run('await runTests()');
  expect(second.stdout).toContain('Tests  1 passed (1)');
  expect(second.stdout).not.toContain('Snapshots');
  await repl.run(
    "fs.writeFileSync('src/make.js', fs.readFileSync('src/make.js', 'utf8').replace(\"'`'\", \"'~'\"))",
  );
  const third = await repl.run('await runTests()');
  expect(third.stdout).toContain(
    'Snapshot `makes 1` mismatched. If it is right, take its entry out of /work/src/__snapshots__/a.test.js.snap',
  );
  expect(third.stdout).toContain('-   "text": "`1${n}\\",\n     +   "text": "~1${n}\\",');
});

it("goes on with jest's files, in jest's words", async () => {
  const repl = await openRepl({
    'a.test.js':
      "describe('all', () => { it('is', () => { expect('one').toMatchSnapshot(); expect(2).toMatchSnapshot(); }); });",
    '__snapshots__/a.test.js.snap':
      '// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`all is 1`] = `"one"`;\n',
  });
  expect((await repl.run('await runTests()')).stdout).toContain('  Snapshots  1 written\n');
  expect(
    await repl.stdout("console.log(fs.readFileSync('__snapshots__/a.test.js.snap', 'utf8'))"),
  ).toContain(
    '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`all is 1`] = `"one"`;\n\nexports[`all is 2`] = `2`;\n',
  );
});

it('says what to write into a call without one, and keeps whole files and serializers', async () => {
  const repl = await openRepl({
    'a.test.js':
      "import { expect, it } from 'vitest';\nexpect.addSnapshotSerializer({ test: (value) => value?.isTree, print: (value, print) => 'Tree ' + print(value.leaf) });\nit('is new', () => expect([1]).toMatchInlineSnapshot());\nit('is a tree', async () => { expect({ isTree: true, leaf: 'x' }).toMatchInlineSnapshot('Tree \"x\"'); await expect('<p>').toMatchFileSnapshot('./out/page.html'); });",
  });
  const { stdout } = await repl.run('await runTests()');
  expect(stdout).toContain('This is it:\n     \n     `\n     [\n       1,\n     ]\n     `');
  expect(stdout).toContain('✓ is a tree');
  expect(await repl.value("fs.readFileSync('out/page.html', 'utf8')")).toBe("'<p>'");
  expect(stdout).toContain('  Snapshots  1 written');
});

it('asks for a file where a cell declares the test itself', async () => {
  const repl = await openRepl();
  const { stdout } = await repl.run("it('is', () => expect(1).toMatchSnapshot())");
  expect(stdout).toContain('A snapshot is kept beside a test file');
});
