// What vitest, jest and node:test do with fake timers.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  [
    'runs what is due, in order, and makes the date go on',
    "vi.useFakeTimers({ now: 1000 }); const seen = []; setTimeout(() => seen.push('b' + Date.now()), 20); setTimeout((x) => seen.push(x + new Date().getTime()), 10, 'a'); const stop = setInterval(() => seen.push('i'), 15); vi.advanceTimersByTime(9); expect(seen).toEqual([]); vi.advanceTimersByTime(21); expect(seen).toEqual(['a1010', 'i', 'b1020', 'i']); clearInterval(stop); expect(vi.getTimerCount()).toBe(0); expect(Date.now()).toBe(1030)",
  ],
  [
    'lets promises come between timers',
    'vi.useFakeTimers(); const seen = []; (async () => { for (let at = 0; at < 3; at += 1) { await new Promise((resolve) => setTimeout(resolve, 100)); seen.push(at); } })(); await vi.advanceTimersByTimeAsync(250); expect(seen).toEqual([0, 1]); await vi.runAllTimersAsync(); expect(seen).toEqual([0, 1, 2])',
  ],
  [
    'runs all, those that are pending, and the next one',
    "jest.useFakeTimers(); const seen = []; setTimeout(() => { seen.push(1); setTimeout(() => seen.push(2), 5) }, 5); jest.runOnlyPendingTimers(); expect(seen).toEqual([1]); jest.advanceTimersToNextTimer(); expect(seen).toEqual([1, 2]); setTimeout(() => setTimeout(() => seen.push(3))); jest.runAllTimers(); expect(seen.at(-1)).toBe(3); setTimeout(() => seen.push(4)); jest.clearAllTimers(); jest.runAllTimers(); expect(seen.length).toBe(3); const tick = () => setTimeout(tick); tick(); expect(() => vi.runAllTimers()).toThrow('infinite loop')",
  ],
  [
    'stands still at a date, without fake timers too',
    "vi.setSystemTime(new Date('2030-05-06T07:08:09Z')); expect(new Date().toISOString()).toBe('2030-05-06T07:08:09.000Z'); expect(new Date() instanceof Date).toBe(true); expect(new Date(5).getTime()).toBe(5); expect(typeof Date()).toBe('string'); expect(vi.isFakeTimers()).toBe(false); expect(vi.getMockedSystemTime().getFullYear()).toBe(2030); await new Promise((resolve) => setTimeout(resolve, 1)); vi.useRealTimers(); expect(new Date().getFullYear()).not.toBe(2030)",
  ],
  [
    'keeps what is left of a timer when the date is set',
    "vi.useFakeTimers(); const seen = []; setTimeout(() => seen.push('due'), 1000); vi.setSystemTime(0); vi.advanceTimersByTime(999); expect(seen).toEqual([]); vi.advanceTimersByTime(1); expect(seen).toEqual(['due'])",
  ],
  [
    'fakes what it is told to',
    "vi.useFakeTimers({ toFake: ['Date'], now: 5 }); await new Promise((resolve) => setTimeout(resolve, 1)); expect(Date.now()).toBe(5); expect(() => vi.useRealTimers().advanceTimersByTime(1)).toThrow('useFakeTimers')",
  ],
  [
    'moves on in waitFor',
    'vi.useFakeTimers(); let done = false; setTimeout(() => { done = true }, 500); await vi.waitFor(() => expect(done).toBe(true)); class Mine extends Date {} expect(new Mine() instanceof Mine).toBe(true); const before = performance.now(); vi.advanceTimersByTime(7); expect(performance.now() - before).toBe(7)',
  ],
])('vi: %s', async (_what, code) => {
  const repl = await openRepl({
    'a.test.js': `import { expect, it, vi } from 'vitest';\nit('does', async () => { ${code} });`,
    // What a file leaves behind is gone in the next.
    'b.test.js':
      "import { expect, it, vi } from 'vitest';\nit('is real', async () => { expect(vi.isFakeTimers()).toBe(false); expect(Date.now()).toBeGreaterThan(1e12); await new Promise((resolve) => setTimeout(resolve, 1)); });",
  });
  expect((await repl.run('await runTests()')).stdout).toContain('Tests  2 passed (2)');
});

it('lets tests and their tools replace the clock of performance', async () => {
  const repl = await openRepl({
    'a.test.js': `import { expect, it, vi } from 'vitest'; import { performance as other } from 'perf_hooks';
      it('is spied on', () => { const spy = vi.spyOn(performance, 'now').mockReturnValue(5); expect([performance.now(), other.now()]).toEqual([5, 5]); spy.mockRestore(); expect(performance.now()).not.toBe(5); });
      it('is defined anew', () => { Object.defineProperty(other, 'now', { configurable: true, value: () => 7 }); expect(performance.now()).toBe(7); delete other.now; expect(performance.now()).toBeGreaterThan(7); });
      it('is faked and given back', () => { const own = performance; vi.useFakeTimers(); expect(performance.now()).toBe(0); vi.advanceTimersByTime(3); expect(performance.now()).toBe(3); vi.useRealTimers(); expect(performance).toBe(own); });
      it('is a Performance', () => { expect([String(performance), Object.keys(performance), typeof performance.toJSON().timeOrigin]).toEqual(['[object Performance]', [], 'number']); });`,
  });
  expect((await repl.run('await runTests()')).stdout).toContain('Tests  4 passed (4)');
});

it('node:test has mock.timers', async () => {
  const repl = await openRepl({
    'a.test.js':
      "import { it, mock } from 'node:test';\nimport assert from 'node:assert';\nit('does', () => { mock.timers.enable({ apis: ['setTimeout', 'Date'] }); let n = 0; setTimeout(() => { n += 1 }, 50); mock.timers.tick(49); assert.equal(n, 0); mock.timers.tick(1); assert.equal(n, 1); assert.equal(Date.now(), 50); mock.timers.reset(); assert.ok(Date.now() > 1e12); });",
  });
  expect((await repl.run('await runTests()')).stdout).toContain('Tests  1 passed (1)');
});

it('a test that hangs under fake timers is cut by the real clock', async () => {
  const repl = await openRepl({
    'a.test.js':
      "import { it, vi } from 'vitest';\nit('hangs', () => { vi.useFakeTimers(); return new Promise((resolve) => setTimeout(resolve, 5)); }, 50);",
  });
  expect((await repl.run('await runTests()')).stdout).toContain('timed out in 50ms');
});

it.each([
  ['vi.useFakeTimers({ shouldAdvanceTime: true })', "doesn't go on by itself"],
  ['jest.useFakeTimers({ advanceTimers: true })', "doesn't go on by itself"],
  ["vi.useFakeTimers({ toFake: ['nextTick'] })", "nextTick can't be faked"],
])('says what it has not: %s', async (code, message) => {
  const repl = await openRepl({
    'a.test.js': `import { it, vi } from 'vitest';\nit('does', () => { ${code} });`,
  });
  expect((await repl.run('await runTests()')).stdout).toContain(message);
});
