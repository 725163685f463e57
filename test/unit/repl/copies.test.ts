// Cells that run on a copy of the session, and engines that start from an image.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import { createBootedEngine } from '../../../src/repl/vm/booted-engine.ts';
import { createQuickjsEngine } from '../../../src/repl/vm/quickjs.ts';
import { openRepl } from '../../support/repl/repl.ts';

describe('a cell that runs on a copy', () => {
  it('finds the session as it is, in another worker too, and leaves it so', async () => {
    const repl = await openRepl();
    await repl.value('var list = [1]; Array.prototype.sum = function () { return this.length }');
    const other = repl.successor();
    const request = { isAlone: true, savedState: repl.savedState() };
    for (const session of [other, repl]) {
      const result = await session.run('list.push(2); list.sum()', request);
      expect(result).toMatchObject({ display: '2', rolledBack: false });
    }
    expect(other.savedState()).toBeUndefined();
    expect(await repl.value('list.sum()')).toBe('1');
  });

  it('has no number, and takes none from a later cell', async () => {
    const repl = await openRepl();
    const where =
      "new Error().stack.includes('cell:1') + ' ' + new Error().stack.includes('cell-2')";
    await repl.value('1');
    expect(await repl.run(where, { isAlone: true })).toMatchObject({ value: 'true false' });
    expect(await repl.value(where)).toBe("'false true'");
  });

  it('that throws leaves the session as it was', async () => {
    const repl = await openRepl();
    await repl.value('var kept = 1');
    const result = await repl.run('kept = 2; throw new Error("x")', { isAlone: true });
    expect(result).toMatchObject({ error: { message: 'x' }, rolledBack: true });
    expect(await repl.value('kept')).toBe('1');
  });
});

describe('an engine with an image', () => {
  it('gives each session a VM of its own, with nothing of another', async () => {
    const wasm = await loadQuickjsWasm();
    const engine = createBootedEngine(await createQuickjsEngine(wasm));
    const loadEngine = () => Promise.resolve(engine);
    const open = () => openRepl({}, { loadEngine });
    for (const first of [await open(), await open()]) await first.value('var mine = 0');
    const [one, other] = [await open(), await open()];
    await one.value('var mine = 1; Math.abs = () => mine');
    expect(await other.value('[typeof mine, Math.abs(-2), Math.random() === Math.random()]')).toBe(
      "[ 'undefined', 2, false ]",
    );
    expect(await one.value('Math.abs(-2)')).toBe('1');
  });

  it('boots anew for other bounds', async () => {
    const engine = createBootedEngine(await createQuickjsEngine(await loadQuickjsWasm()));
    for (let round = 0; round < 2; round += 1) {
      const repl = await openRepl({}, { loadEngine: () => Promise.resolve(engine) });
      await repl.value('1');
    }
    const small = await openRepl({}, { loadEngine: () => Promise.resolve(engine) });
    const result = await small.run('new Uint8Array(9e6).length', { maxMemoryBytes: 8e6 });
    expect(result.error?.message).toContain('(7.6 MB for');
  });
});
