import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('process', () => {
  it('tells where it is, and little more', async () => {
    const repl = await openRepl();
    expect(await repl.value('[process.cwd(), process.env, process.platform, process.argv]')).toBe(
      "[ '/work', {}, 'rockpool', [ 'rockpool', 'cell' ] ]",
    );
    expect(
      await repl.stdout('process.stdout.write("a"); process.stdout.write(Buffer.from("b"))'),
    ).toBe('ab');
  });

  it('has the environment that the host gave, which a session may change for itself', async () => {
    const env = { HOME: '/work' };
    const repl = await openRepl({}, { env });
    await repl.run('process.env.ADDED = "1"; delete process.env.HOME');
    expect(await repl.value('process.env')).toBe("{ ADDED: '1' }");
    expect(await repl.successor().value('process.env.HOME')).toBe("'/work'");
    expect(env).toEqual({ HOME: '/work' });
  });

  it('measures time by the clock of the session', async () => {
    let time = 1_700_000_000_000;
    const repl = await openRepl({}, { guestNow: () => (time += 1.5) });
    expect(
      await repl.value(`
        const [seconds, nanoseconds] = process.hrtime(process.hrtime());
        [process.hrtime.bigint() < process.hrtime.bigint(), seconds, nanoseconds > 0]`),
    ).toBe('[ true, 0, true ]');
  });

  it.each([
    [
      'hrtime("now")',
      'The "time" argument must be an instance of Array. Received type string (\'now\')',
    ],
    ['hrtime([1])', 'The value of "time" is out of range. It must be 2. Received 1'],
    [
      'exitCode = "one"',
      'The "code" argument must be of type number. Received type string (\'one\')',
    ],
    ['exitCode = 1.5', 'The value of "code" is out of range. It must be an integer. Received 1.5'],
    ['exit("one")', 'The "code" argument must be of type number. Received type string (\'one\')'],
  ])('refuses what Node does: process.%s', async (code, message) => {
    const repl = await openRepl();
    expect((await repl.run(`process.${code}`)).error?.message).toBe(message);
    expect(await repl.value('process.exitCode')).toBe(undefined);
  });

  it('has its exit code as a number, and none for null', async () => {
    const repl = await openRepl();
    const code = `const codes = ['3', null].map((code) => { process.exitCode = code; return process.exitCode }); codes`;
    expect(await repl.value(code)).toBe('[ 3, undefined ]');
  });

  it('goes elsewhere and back, for fs and path and for later cells', async () => {
    const repl = await openRepl({ 'd/a.txt': 'there', 'd/e/b.txt': '', 'a.txt': 'here' });
    const there = "process.chdir('d'); process.chdir('e'); process.chdir('..');";
    expect(await repl.value(`${there} fs.readFileSync('a.txt', 'utf8')`)).toBe("'there'");
    const code = `fs.writeFileSync('new.txt', ''); fs.symlinkSync('a.txt', 'link');
      [process.cwd(), path.resolve('x'), fs.readdirSync('.'), fs.readlinkSync('link'), fs.globSync('e/*')]`;
    expect((await repl.run(code)).value).toEqual([
      '/work/d',
      '/work/d/x',
      ['a.txt', 'e', 'link', 'new.txt'],
      'a.txt',
      ['e/b.txt'],
    ]);
    const failed = await repl.run("process.chdir('e'); process.chdir('none')");
    expect(failed.error).toMatchObject({
      message: expect.stringContaining('ENOENT'),
    });
    expect(await repl.value("process.cwd() + process.chdir('..') + process.cwd()")).toBe(
      "'/work/dundefined/work'",
    );
  });
});

describe('process.exit', () => {
  it.each(['process.exit()', 'process.exit(0)', 'await 1; (() => process.exit())()'])(
    '%s ends the cell well, and keeps what it did',
    async (code) => {
      const repl = await openRepl();
      const result = await repl.run(
        `let n = 1; fs.writeFileSync('a', 'x'); ${code}; n = 2; fs.writeFileSync('b', 'x')`,
      );
      expect(result).toMatchObject({ rolledBack: false, stderr: '' });
      expect(result.error).toBeUndefined();
      expect(result.changes.map(({ path }) => path)).toEqual(['/work/a']);
      expect(await repl.value('n')).toBe('1');
    },
  );

  it('with any other code fails it, as an error would', async () => {
    const repl = await openRepl();
    await repl.run('let n = 1');
    const result = await repl.run('n = 2;\nprocess.exit(3)');
    expect(result).toMatchObject({
      rolledBack: true,
      error: { name: 'ExitError', message: 'The cell ended by process.exit(3).', line: 2 },
    });
    expect(await repl.value('n')).toBe('1');
  });

  it('lets nothing be done after it, whatever catches it', async () => {
    const repl = await openRepl();
    const result = await repl.run(`
      async function main() { setTimeout(() => fs.writeFileSync('late', ''), 0); process.exit(0) }
      try { await main() } catch (error) { console.error(error); process.exit(1) } finally { fs.writeFileSync('finally', '') }`);
    expect(result).toMatchObject({ rolledBack: false, stdout: '', stderr: '', changes: [] });
    expect(await repl.value('1 + 1')).toBe('2');
    expect(await repl.workspace.fs.readdir('/work')).toEqual([]);
  });

  it('is not reported as a rejection that nobody handled', async () => {
    const repl = await openRepl();
    const result = await repl.run(
      'const main = async () => { await 0; process.exit() }; main(); await new Promise(() => {})',
    );
    expect(result).toMatchObject({ rolledBack: false, stderr: '' });
  });

  it('is told of by its code where the cell goes on', async () => {
    const repl = await openRepl();
    expect(await repl.run('process.exitCode = 2; "done"')).toMatchObject({
      display: "'done'",
      rolledBack: false,
      returnCodeInterpretation: 'process.exitCode is 2',
    });
    expect((await repl.run('1')).returnCodeInterpretation).toBeUndefined();
    expect(await repl.run('process.exitCode = 4; process.exit()')).toMatchObject({
      error: { message: 'The cell ended by process.exit(4).' },
    });
  });

  it('tells where the error was that process.nextTick let through', async () => {
    const repl = await openRepl();
    const { error, stderr } = await repl.run(
      'process.nextTick(() => { throw new RangeError("far off") }); await new Promise((done) => setTimeout(done, 9))',
    );
    expect([error?.name, error?.message]).toEqual(['RangeError', 'far off']);
    expect(stderr).toMatch(/^Uncaught in process.nextTick: RangeError: far off\n +at .*cell-1:1/u);
  });
});

describe('listeners of process', () => {
  it('hear of the end of the cell that added them, and of no other', async () => {
    const repl = await openRepl();
    const listen =
      "process.once('beforeExit', (code) => console.log('before', code)); process.on('exit', function (code) { console.log('exit', code); fs.writeFileSync('ended', String(code)); });";
    expect(await repl.stdout(`${listen} console.log(process.listenerCount('exit'))`)).toBe(
      '1\nbefore 0\nexit 0\n',
    );
    expect(await repl.value("[fs.readFileSync('ended', 'utf8'), process.eventNames()]")).toBe(
      "[ '0', [] ]",
    );
    expect(await repl.stdout(`${listen} process.exit(); console.log('never')`)).toBe('exit 0\n');
    const failed = await repl.run(`${listen} null.x`);
    expect(failed).toMatchObject({ stdout: 'exit 1\n', rolledBack: true });
    expect((await repl.run(`${listen} process.exitCode = 3`)).stdout).toBe('before 3\nexit 3\n');
  });

  it('may end the cell otherwise, and fail it', async () => {
    const repl = await openRepl();
    const ended = await repl.run("process.on('exit', () => process.exit(4)); 1");
    expect(ended.error?.message).toBe('The cell ended by process.exit(4).');
    const thrown = await repl.run("process.on('exit', () => { throw new RangeError('late') }); 1");
    expect(thrown).toMatchObject({ rolledBack: true, error: { message: 'late' } });
    const twice = await repl.run("process.on('exit', () => { throw new RangeError('late') }); no");
    expect(twice.error?.message).toBe('no is not defined');
    expect(twice.stderr).toMatch(/^Uncaught in a listener of process 'exit': RangeError: late/u);
  });

  it('hear of warnings, and of what a program emits itself', async () => {
    const repl = await openRepl();
    const code =
      "const heard = []; process.on('warning', ({ name, message }) => heard.push(name, message)).on('own', (value) => heard.push(value)); process.emitWarning('old', 'DeprecationWarning'); process.emit('own', 5); heard";
    expect(await repl.value(code)).toBe("[ 'DeprecationWarning', 'old', 5 ]");
  });
});

it('says nothing of timers that nobody is to wait for', async () => {
  const repl = await openRepl();
  const code =
    'const timer = setTimeout(() => {}, 60_000).unref(); AbortSignal.timeout(60_000); [timer.hasRef(), timer.ref().hasRef(), timer.unref().hasRef()]';
  expect(await repl.run(code)).toMatchObject({ display: '[ false, true, false ]', stderr: '' });
  expect((await repl.run('timer.ref(); setTimeout(() => {}, 60_000)')).stderr).toContain('1 timer');
});
