// Random cells, and what stands-alone.ts says of them. Each that stands alone gives on a copy of
// the session what it gives in its turn. It leaves nothing of itself in the session.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classifyCell } from '../../../src/repl/cell/classify.ts';
import type { CellResult } from '../../../src/repl/cell/cell-request.ts';
import { openRepl, type ReplBench } from '../../support/repl/repl.ts';

const names = ['a', 'b', 'list', 'o', 'f', 'Math', 'fs', 'console', 'kept', 'patched'];
const members = [
  ...[
    'map',
    'push',
    'at',
    'join',
    'sort',
    'length',
    'constructor',
    'prototype',
    '__proto__',
    'call',
  ],
  ...['abs', 'random', 'log', 'count', 'readFileSync', 'writeFileSync', 'x', 'replace', 'toString'],
];

/** Texts of expressions and statements, most of them good for nothing, some of them bad. */
const { expression } = fc.letrec<{ expression: string; statement: string }>((tie) => {
  const inner = tie('expression');
  const name = fc.constantFrom(...names);
  const member = fc.constantFrom(...members);
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'cell' },
      fc.constantFrom('1', '"x"', '"constructor"', '[]', '[3, 1]', '{}', '/x/g', 'undefined'),
      fc.constantFrom('[].constructor.prototype', '[].at', '(0, Math)'),
      name,
      fc.tuple(inner, member).map(([object, key]) => `(${object}).${key}`),
      fc.tuple(name, member).map(([object, key]) => `${object}.${key}`),
      fc.tuple(inner, inner).map(([object, key]) => `(${object})[${key}]`),
      fc.tuple(inner, member, inner).map(([object, key, to]) => `(${object}).${key}(${to})`),
      fc.tuple(name, member, inner).map(([object, key, to]) => `${object}.${key}(${to})`),
      fc.tuple(inner, inner).map(([callee, to]) => `(${callee})(${to})`),
      fc.tuple(inner, inner).map(([one, other]) => `(${one}) + (${other})`),
      fc.tuple(member, inner).map(([key, value]) => `({ ${key}: ${value} })`),
      fc.tuple(inner, inner).map(([key, value]) => `({ [${key}]: ${value} })`),
      fc.tuple(name, inner).map(([parameter, value]) => `((${parameter}) => ${value})`),
      fc.tuple(name, inner).map(([target, value]) => `(${target} = ${value})`),
      fc.tuple(name, member, inner).map(([to, key, value]) => `(${to}.${key} = ${value})`),
      fc.tuple(name, inner, inner).map(([to, key, value]) => `(${to}[${key}] = ${value})`),
      fc
        .array(tie('statement'), { maxLength: 4 })
        .map((body) => `(() => { ${body.join('; ')} })()`),
    ),
    statement: fc.oneof(
      { depthIdentifier: 'cell' },
      inner,
      fc.tuple(name, inner).map(([bound, value]) => `const ${bound} = ${value}`),
      fc.tuple(name, inner).map(([bound, value]) => `let ${bound} = ${value}`),
      fc.tuple(name, inner).map(([bound, value]) => `function ${bound}() { return ${value} }`),
      fc.tuple(name, inner, inner).map(([each, of, run]) => `for (const ${each} of ${of}) ${run}`),
      inner.map((value) => `return ${value}`),
    ),
  };
});

/** What all code of a session can reach, as text: functions by the place where they were found first. */
const walk = String.raw`console.log((() => {
  const numbers = new Map();
  const open = [];
  const lines = [];
  const show = (value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return typeof value + String(value);
    if (!numbers.has(value)) { numbers.set(value, numbers.size); open.push(value); }
    return '#' + numbers.get(value);
  };
  show(globalThis);
  for (const value of open) {
    const own = Reflect.ownKeys(value).map((key) => {
      const { get, set, value: held, writable } = Reflect.getOwnPropertyDescriptor(value, key);
      return [String(key), show(held), show(get), show(set), writable].join();
    });
    lines.push([typeof value, Object.isExtensible(value), show(Reflect.getPrototypeOf(value)), ...own].join(';'));
  }
  return lines.join('\n');
})())`;

const shown = ({ stdout, stderr, value, display, error }: CellResult) => ({
  stdout,
  stderr,
  value,
  display,
  error: error && `${error.name}: ${error.message}`,
});

async function openSession(): Promise<ReplBench> {
  const repl = await openRepl({ x: 'one\ntwo' });
  // What a cell before has left: a variable, and a built-in that is another one.
  await repl.value('var kept = [1]; fs.existsSync("x"); path.sep');
  await repl.value(
    'Array.prototype.patched = 1; const abs = Math.abs; Math.abs = (n) => -abs(n); kept',
  );
  return repl;
}

it(
  'what stands alone gives the same on a copy, and leaves nothing',
  { timeout: 600_000 },
  async () => {
    const repl = await openSession();
    const copy = repl.successor();
    const look = async () => {
      const { stdout } = await repl.run(walk, { isAlone: true, maxOutputChars: 10_000_000 });
      return stdout;
    };
    const before = await look();
    expect(before).toContain('patched,number1');
    let alone = 0;
    await fc.assert(
      fc.asyncProperty(expression, async (code) => {
        if (classifyCell(code).standsAlone !== true) return;
        alone += 1;
        const savedState = repl.savedState();
        const beside = await copy.run(code, { isAlone: true, savedState });
        const inTurn = await repl.run(code);
        expect(shown(beside)).toEqual(shown(inTurn));
        if (inTurn.error) return;
        expect((await look()) === before).toBe(true);
      }),
      { numRuns: 300 },
    );
    // Five of six don't: enough do.
    expect(alone).toBeGreaterThan(20);
  },
);
