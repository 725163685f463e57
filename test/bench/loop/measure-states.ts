// What a cell adds to its session's journal. It is the change of the VM's state, by the rule by
// which a session keeps whole states and changes.
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { journalCells, ordinaryCells } from '../../support/repl/journalled-cells.ts';
import { loadQuickjsWasm } from '../../support/repl/quickjs-wasm.node.ts';

const cells = 30;

/** The mean and the largest change, in bytes as they are recorded. */
export async function measureStates(): Promise<{
  readonly mean: number;
  readonly largest: number;
}> {
  await using host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const { run, changes } = journalCells(host);
  for (let turn = 0; turn < cells; turn += 1) {
    await run(ordinaryCells[turn % ordinaryCells.length] as string);
  }
  const sizes = changes.map(({ bytes }) => bytes.length);
  const partial = changes.filter(({ isWhole }) => !isWhole).map(({ bytes }) => bytes.length);
  return {
    mean: sizes.reduce((sum, size) => sum + size, 0) / cells,
    largest: Math.max(...partial),
  };
}
