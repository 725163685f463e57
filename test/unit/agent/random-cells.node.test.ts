import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { checkRandomCells, playMs } from '../../support/repl/play-cells.ts';

/** 100: four conversations. More by hand: `CELLS=20000`. */
const cellCount = Number(process.env['CELLS'] ?? 100);

it(
  'random cells leave what a naive model says: all of it or nothing',
  async () => {
    const open = () =>
      createInlineHost({
        loadWasm: loadQuickjsWasm,
        // So that the cells that use it up are soon done.
        limits: { maxMemoryBytes: 16 * 1024 * 1024 },
      });
    const outcomes = await checkRandomCells(cellCount, async (play) => {
      const host = await open();
      try {
        await play(host);
      } finally {
        await host[Symbol.asyncDispose]();
      }
    });
    expect(new Set(outcomes)).toEqual(new Set(['kept', 'failed', 'refused', 'conflict']));
  },
  playMs(cellCount) + 60_000,
);
