import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import { createEdgeHost } from '../../../src/hosts/edge/create-edge-host.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { restoredStatesContract } from '../../contract/restored-states.contract.ts';
import { journalCells, ordinaryCells } from '../../support/repl/journalled-cells.ts';
import { createRandom } from '../../support/random.ts';

restoredStatesContract('an inline host', () => createInlineHost({ loadWasm: loadQuickjsWasm }));
restoredStatesContract('an edge host', async () =>
  createEdgeHost({ wasm: await loadQuickjsWasm() }),
);

describe('the changes that cells leave', () => {
  it('lead to the same variables as the whole states, after cells of any kind', async () => {
    await using host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const cells = journalCells(host);
    const random = createRandom(3);
    await cells.run('let list = [], map = new Map(), text = ""');
    const kinds = [
      () => `list.push(...Array.from({ length: ${random.below(200)} }, (_, at) => ({ at })))`,
      () => `map.set(${random.below(50)}, new Uint8Array(${random.below(3000)}).fill(7))`,
      () => `text += 'x'.repeat(${random.below(5000)})`,
      () => `list.length = ${random.below(100)}; map.delete(${random.below(50)})`,
      () => `function f${random.below(20)}() { return text.length }`,
    ];
    const told =
      '[list.length, text.length, JSON.stringify([...map].map(([k, v]) => [k, v.length]))].join()';
    for (let turn = 0; turn < 20; turn += 1) {
      await cells.run(random.pick(kinds)());
      if (turn % 10 !== 9) continue;
      const wanted = await cells.run(told);
      await using other = await createInlineHost({ loadWasm: loadQuickjsWasm });
      await other.executor.restoreStates?.('session-1', cells.chain());
      expect(await journalCells(other).run(told)).toBe(wanted);
    }
  });

  it('are below 100 000 bytes for an ordinary cell, the whole ones counted in', async () => {
    await using host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const cells = journalCells(host);
    for (let turn = 0; turn < 30; turn += 1)
      await cells.run(ordinaryCells[turn % ordinaryCells.length]!);
    const sizes = cells.changes.map(({ bytes }) => bytes.length);
    const largest = Math.max(
      ...cells.changes.map(({ isWhole, bytes }) => (isWhole ? 0 : bytes.length)),
    );
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    console.info(JSON.stringify({ vm_bytes_per_cell: Math.round(mean), largest, whole: sizes[0] }));
    expect(mean).toBeLessThan(100_000);
  });
});
