import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('a session', () => {
  it('keeps variables, functions, classes and imports for the next cells', async () => {
    const repl = await openRepl();
    await repl.run(`
      const a = 1; let b = 2; var c = 3;
      function sum() { return a + b + c }
      class Box { constructor(v) { this.v = v } }
      import { join } from 'node:path';
    `);
    expect(await repl.value('[sum(), new Box(4).v, join("x", "y")]')).toBe("[ 6, 4, 'x/y' ]");
  });

  it('lets each of them be declared again', async () => {
    const repl = await openRepl();
    for (const code of ['const x = 1; x', 'let x = 2; x', 'var x = 3; x', 'class x {}; x.name']) {
      await repl.run(code);
    }
    expect(await repl.value('function x() { return 5 }\nx()')).toBe('5');
    expect(await repl.value('import x from "path"; typeof x.join')).toBe("'function'");
    expect(await repl.value('const x = 6; x')).toBe('6');
  });

  it('shows closures of earlier cells what a name means now', async () => {
    const repl = await openRepl();
    await repl.run('let n = 1; const read = () => n; function viaFunction() { return helper() }');
    await repl.run('let n = 2; function helper() { return "new" }');
    expect(await repl.value('[read(), viaFunction()]')).toBe("[ 2, 'new' ]");
  });

  it('gives the value of the last expression, also out of blocks', async () => {
    const repl = await openRepl();
    expect(await repl.value('1 + 1')).toBe('2');
    expect(await repl.value('if (true) { "yes" } else { "no" }')).toBe("'yes'");
    expect(await repl.value('try { throw 1 } catch { "caught" }')).toBe("'caught'");
    expect(await repl.value('(1, 2); // a comment')).toBe('2');
    expect(await repl.value('return 7')).toBe('7');
    expect(await repl.value('const y = 1')).toBeUndefined();
  });

  it('takes braces around properties for an object, and around statements for a block', async () => {
    const repl = await openRepl();
    expect(await repl.value('{ a: 1, b: [2] }')).toBe('{ a: 1, b: [ 2 ] }');
    expect(await repl.value('{ let inner = 3; inner }')).toBe('3');
  });

  it('awaits at the top level, and waits for timers there', async () => {
    let time = 1_700_000_000_000;
    const sleep = (milliseconds: number) => Promise.resolve(void (time += milliseconds));
    const repl = await openRepl({}, { now: () => time, sleep });
    expect(await repl.value('await Promise.resolve(1) + await 2')).toBe('3');
    expect(
      await repl.value(`
        const order = [];
        setTimeout(() => order.push('second'), 2);
        setTimeout(() => { order.push('first'); Promise.resolve().then(() => order.push('job')) }, 1);
        await new Promise((done) => setTimeout(done, 3));
        order`),
    ).toBe("[ 'first', 'job', 'second' ]");
  });

  it('refuses to assign to a constant, and to read a variable before its line', async () => {
    const repl = await openRepl();
    await repl.run('const fixed = 1; let later = 1');
    expect(await repl.run('fixed = 2')).toMatchObject({
      rolledBack: true,
      error: { name: 'TypeError', message: "'fixed' is read-only" },
    });
    expect(await repl.run('later; let later = 2')).toMatchObject({
      error: { name: 'ReferenceError' },
    });
    expect(await repl.run('let own = own')).toMatchObject({ error: { name: 'ReferenceError' } });
    expect(await repl.value('[fixed, later]')).toBe('[ 1, 1 ]');
  });

  it('runs TypeScript, and keeps imports that only a later cell uses', async () => {
    const repl = await openRepl();
    await repl.run(`
      import { basename } from 'path';
      interface Named { name: string }
      enum Kind { A = 1, B }
      const first = <T,>(items: T[]): T | undefined => items[0];
      const box = { name: 'n' } satisfies Named;`);
    expect(await repl.value('[basename("/a/b"), Kind.B, first<number>([3]), box.name]')).toBe(
      "[ 'b', 2, 3, 'n' ]",
    );
  });

  it('says where a syntax error is, and leaves the session as it was', async () => {
    const repl = await openRepl();
    await repl.run('let kept = 1');
    expect(await repl.run('kept = 2;\nconst = 3')).toEqual({
      stdout: '',
      stderr: '',
      interrupted: false,
      changes: [],
      rolledBack: false,
      error: {
        name: 'SyntaxError',
        message: 'Unexpected token (2:7)\n  const = 3\n        ^',
        line: 2,
      },
    });
    expect(await repl.value('kept')).toBe('1');
  });

  it.each([
    ['npm test', 'no command "npm": a cell is JavaScript. Run tests by await runTests(). (1:5)'],
    ['npx vitest run', 'Run tests by await runTests().'],
    ['git status', 'git is an object: await git.status().'],
    ['cat a.txt', "Files are in fs, such as fs.readdirSync('.')."],
    ['let x = ;', 'Unexpected token (1:9)'],
  ])('says what to write in the place of a shell’s command: %s', async (code, message) => {
    const repl = await openRepl();
    expect((await repl.run(code)).error?.message).toContain(message);
  });

  it("names the cell's own line for what it throws, also in functions of earlier cells", async () => {
    const repl = await openRepl();
    const { error } = await repl.run('\n\nnowhere.x');
    expect(error).toMatchObject({ name: 'ReferenceError', line: 3 });
    await repl.run('function inner() {\n  throw new RangeError("deep")\n}');
    const outer = await repl.run('1;\n2;\n3;\ninner()');
    expect(outer.error).toEqual({
      name: 'RangeError',
      message: 'deep',
      line: 4,
      stack: '    at inner (cell-2:2)\n    at <anonymous> (cell-3:4)',
    });
  });

  it('shows what was thrown when it was no error', async () => {
    const repl = await openRepl();
    expect((await repl.run('throw { reason: 1 }')).error).toEqual({
      name: 'Error',
      message: 'The cell threw what is no Error: { reason: 1 }',
    });
    expect((await repl.run('throw 5')).error).toEqual({
      name: 'Error',
      message: 'The cell threw what is no Error: 5',
    });
  });

  it.each([
    ['class MyE extends Error {} throw new MyE("m")', 'MyE'],
    ['class MyE extends TypeError {} throw new MyE("m")', 'MyE'],
    ['class MyE extends Error {} class Deep extends MyE {} throw new Deep("m")', 'Deep'],
    ['throw new (class extends RangeError {})("m")', 'RangeError'],
    ['class MyE extends Error { name = "Own" } throw new MyE("m")', 'Own'],
    ['class MyE extends Error { get name() { return "Got" } } throw new MyE("m")', 'Got'],
    ['class MyE extends Error {} MyE.prototype.name = "Set"; throw new MyE("m")', 'Set'],
    ['throw Object.assign(new Error("m"), { name: "Own" })', 'Own'],
    [
      'function Old() {} Old.prototype = Object.create(Error.prototype); throw Object.assign(new Old(), { message: "m" })',
      'Error',
    ],
    ['throw new DOMException("m", "AbortError")', 'AbortError'],
    ['class MyE extends AggregateError {} throw new MyE([], "m")', 'MyE'],
  ])('names an error as its class is called, unless it says another: %s', async (code, name) => {
    const repl = await openRepl();
    const { error } = await repl.run(code);
    expect(error).toMatchObject({ name, message: 'm' });
    const shown = await repl.run(code.replace(/throw ([^;]*)$/u, 'console.log($1)'));
    expect(shown.stdout.startsWith(`${name}: m`) || shown.stdout.startsWith(`[${name}: m]`)).toBe(
      true,
    );
  });

  it('tells of rejections that nobody handled, and of timers that still wait', async () => {
    const repl = await openRepl();
    const result = await repl.run(
      'Promise.reject(new Error("lost")); setTimeout(() => {}, 60000); 1',
    );
    expect(result).toMatchObject({ display: '1', rolledBack: false });
    expect(result.stderr).toBe(
      'Unhandled rejection: Error: lost\n    at <anonymous> (cell-1:1)\n' +
        '(1 timer is still pending; it goes on while a later cell awaits.)\n',
    );
    expect(await repl.run('2')).toMatchObject({ display: '2', stderr: '' });
    expect((await repl.run('setTimeout(() => {}, 60000)')).stderr).toMatch(/^\(1 timer is still/u);
  });

  it('runs cells one after the other, in the order in which they came', async () => {
    const repl = await openRepl();
    await repl.run('const seen = []');
    const cells = ['a', 'b', 'c'].map((name) =>
      repl.run(`await new Promise((done) => setTimeout(done, 1)); seen.push('${name}')`),
    );
    await Promise.all(cells);
    expect(await repl.value('seen.join("")')).toBe("'abc'");
  });
});
