import { describe, expect, it } from 'vitest';
import { createDeadline } from '../../../src/repl/vm/deadline.ts';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { HostCalls } from '../../../src/repl/host/host-calls.ts';
import {
  CellMeter,
  defaultCellLimits,
  toCellLimits,
  type CellLimits,
} from '../../../src/repl/vm/limits.ts';
import { openRepl } from '../../support/repl/repl.ts';

const network = { hosts: ['a.net'] };

/** Opens a session with one variable, whose network answers with 100 bytes. */
async function open() {
  const repl = await openRepl(
    {},
    { network: createServerFetch(async () => new Response('x'.repeat(100))) },
  );
  await repl.run('let n = 1');
  return repl;
}

// In one table with the limits: what hits each of them, and what the model reads then.
const hits: readonly (readonly [Partial<CellLimits>, string, string, string])[] = [
  [
    { timeoutMs: 40 },
    'for (;;) {}',
    'TimeoutError',
    'The cell was cut after 40 ms. Give it a larger timeout, or less to do.',
  ],
  [
    { maxSteps: 20 },
    'for (;;) {}',
    'StepLimitError',
    'The cell was cut after 20 steps of computing, which is all that this place gives to one. Give it less to do, or spread the work over several cells.',
  ],
  [
    { maxOpenHandles: 3 },
    'for (let i = 0; i < 4; i++) setTimeout(() => {}, 1000)',
    'LimitError',
    'A cell may have 3 open at once (files, timers, calls under way), and this one has. Close or await some of them first.',
  ],
  [
    { maxOpenHandles: 3 },
    'fs.writeFileSync("a", ""); for (let i = 0; i < 4; i++) fs.openSync("a")',
    'LimitError',
    'A cell may have 3 open at once (files, timers, calls under way), and this one has. Close or await some of them first.',
  ],
  [
    { maxOpenHandles: 3 },
    'await Promise.all([1, 2, 3, 4].map(() => crypto.subtle.digest("SHA-1", new Uint8Array())))',
    'LimitError',
    'A cell may have 3 open at once (files, timers, calls under way), and this one has. Close or await some of them first.',
  ],
  [
    { maxMemoryBytes: 8_000_000 },
    'const data = new Uint8Array(3e6); await Promise.all([1, 2, 3].map(() => crypto.subtle.digest("SHA-1", data)))',
    'LimitError',
    "The calls under way may hold 8000000 bytes, as the sandbox's memory may, and this would be more. Await some of them first.",
  ],
  [
    { maxFetches: 2 },
    'for (let i = 0; i < 3; i++) await fetch("https://a.net/")',
    'LimitError',
    'A cell may send 2 requests to the network, and this one has. Do the rest in another cell.',
  ],
  [
    { maxFetchBytes: 250 },
    'for (let i = 0; i < 3; i++) await fetch("https://a.net/")',
    'LimitError',
    'A cell may move 250 bytes over the network, requests and responses together, and this would be more. Ask for less of it, or for a part by a Range header.',
  ],
];

describe('a limit', () => {
  it.each(hits)('%j stops %s, and the session goes on', async (limits, code, name, message) => {
    const repl = await open();
    const result = await repl.run(`n = 2; ${code}`, { network, ...limits });
    expect(result).toMatchObject({ rolledBack: true, error: { name, message } });
    expect(await repl.value('n')).toBe('1');
  });

  it('of the heap counts ArrayBuffers', async () => {
    const repl = await openRepl();
    const result = await repl.run(
      'const all = []; for (;;) all.push(new Uint8Array(1e6), new ArrayBuffer(1e6))',
      { maxMemoryBytes: 8 * 1024 * 1024 },
    );
    expect(result.error).toMatchObject({
      name: 'OutOfMemoryError',
      message: expect.stringMatching(
        /^The cell needed more memory than the sandbox has \(8 MB for all of the session's variables\)\. The largest variables were then all \(about [5-7](?:\.\d)? MB\)\. /u,
      ),
    });
    expect(await repl.value('1')).toBe('1');
  });

  it('of the stack lets a cell catch its end', async () => {
    const depth =
      'let depth = 0; const down = () => { depth += 1; down() }; try { down() } catch {} depth';
    const shallow = await openRepl();
    const deep = await openRepl();
    const { display: result } = await shallow.run(depth, { maxStackBytes: 32 * 1024 });
    expect(Number(result)).toBeGreaterThan(10);
    expect(Number(result)).toBeLessThan(Number((await deep.run(depth)).display));
    const uncaught = await shallow.run('const again = () => again(); again()');
    expect(uncaught.error).toMatchObject({
      name: 'RangeError',
      message: 'Maximum call stack size exceeded',
    });
  });

  it('of output leaves out the middle of what is printed, and the end of a value', async () => {
    const repl = await openRepl();
    const result = await repl.run('console.log("a".repeat(100)); "b".repeat(100)', {
      maxOutputChars: 20,
    });
    expect(result).toMatchObject({
      stdout: `${'a'.repeat(10)}\n... [81 characters left out] ...\n${'a'.repeat(9)}\n`,
      display: `'${'b'.repeat(19)}... [82 characters left out]`,
      rolledBack: false,
    });
  });

  it('that was caught stops nothing else', async () => {
    const repl = await open();
    const result = await repl.run(
      `const codes = [];
       for (let i = 0; i < 3; i++) try { setTimeout(() => {}, 0) } catch (error) { codes.push(error.code) }
       await new Promise((done) => queueMicrotask(done));
       codes`,
      { maxOpenHandles: 2 },
    );
    expect(result.display).toBe("[ 'ERR_LIMIT' ]");
  });

  it('of open handles counts what is open, not what was', async () => {
    const repl = await open();
    const { error } = await repl.run(
      `fs.writeFileSync('a', '');
       for (let i = 0; i < 9; i++) { clearTimeout(setTimeout(() => {}, 0)); fs.closeSync(fs.openSync('a')); await crypto.subtle.digest('SHA-1', new Uint8Array()) }`,
      { maxOpenHandles: 1 },
    );
    expect(error).toBeUndefined();
  });

  it('that a request does not name is the default', () => {
    expect(toCellLimits({ timeoutMs: 5 })).toEqual({ ...defaultCellLimits, timeoutMs: 5 });
    expect(toCellLimits({ ...({ code: 'x' } as object) })).toEqual(defaultCellLimits);
  });
});

describe('CellMeter', () => {
  it('counts nested calls like all else, and nothing that it refuses', () => {
    const meter = new CellMeter(toCellLimits({ maxNestedCalls: 3 }));
    meter.take('maxNestedCalls', 2);
    expect(() => meter.take('maxNestedCalls', 2)).toThrow(
      'A cell may call tools 3 times, and this one has. Do the rest in another cell.',
    );
    meter.take('maxNestedCalls');
    meter.giveBack('maxNestedCalls', 3);
    meter.take('maxNestedCalls', 3);
  });
});

describe('HostCalls', () => {
  it('answers by numbers that are never used again', async () => {
    const calls = new HostCalls();
    const open = () => calls.open(new CellMeter(defaultCellLimits));
    const answered = () => new Promise<void>((resolve) => calls.onAnswer(resolve));
    open();
    const first = calls.start(async () => [1]);
    await answered();
    expect(calls.take()).toEqual({ id: first, ok: true, values: [1] });
    calls.close();
    open();
    const failure = new Error('no');
    const second = calls.start(() => Promise.reject(failure));
    await answered();
    expect(calls.take()).toEqual({ id: second, ok: false, error: failure });
    expect(second).toBeGreaterThan(first);
    expect(calls.isWaiting).toBe(false);
  });

  it('forgets what is cancelled or left behind, and tells it so', async () => {
    const calls = new HostCalls();
    const signals: AbortSignal[] = [];
    const start = () =>
      calls.start((signal) => {
        signals.push(signal);
        return new Promise(() => {});
      });
    calls.open(new CellMeter(toCellLimits({ maxOpenHandles: 2 })));
    const cancelled = start();
    start();
    expect(start).toThrow('A cell may have 2 open at once');
    await Promise.resolve();
    calls.cancel(cancelled);
    calls.cancel(12_345);
    start();
    await Promise.resolve();
    calls.close();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true, true]);
    expect(calls.isWaiting).toBe(false);
    expect(start).toThrow('The cell has ended');
  });
});

describe('a paused deadline', () => {
  it('counts no waiting, but what is computed meanwhile', () => {
    let time = 0;
    const deadline = createDeadline(100, () => time, 1);
    time = 60;
    const [resume, resumeToo] = [deadline.pause(), deadline.pause()];
    time = 1000;
    expect([deadline.remainingMs(), deadline.hasPassed()]).toEqual([Infinity, false]);
    resume();
    resume();
    expect(deadline.remainingMs()).toBe(Infinity);
    resumeToo();
    // One question was asked while it was paused.
    expect(deadline.remainingMs()).toBe(39);
    deadline.pause();
    let questions = 0;
    while (!deadline.hasPassed()) questions += 1;
    expect(questions).toBe(38);
  });

  it('counts questions only since the clock has moved: what came before shows by itself', () => {
    let time = 0;
    const deadline = createDeadline(100, () => time, 1);
    for (let question = 0; question < 260; question += 1) deadline.hasPassed();
    expect(deadline.remainingMs()).toBe(40);
    time = 70;
    expect([deadline.hasPassed(), deadline.remainingMs()]).toEqual([false, 30]);
  });
});
