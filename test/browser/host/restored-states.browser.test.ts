// The contract over real tool workers; and that the page alone decides what they go on from.
import { describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { restoredStatesContract } from '../../contract/restored-states.contract.ts';
import { journalCells } from '../../support/repl/journalled-cells.ts';

async function openHost() {
  const host = await createBrowserHost({
    workspace: `restored-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  return {
    executor: host.executor,
    workspace: host.workspace,
    [Symbol.asyncDispose]: () => host.destroy(),
  };
}

restoredStatesContract('tool workers', openHost);

describe('a change of a state', () => {
  it('is against the state before also where the worker that had it was ended', async () => {
    await using host = await openHost();
    const cells = journalCells(host);
    await cells.run('let n = 1');
    const stuck = cells.start('for (;;);');
    stuck.kill('It is in the way.');
    expect(await stuck.reply).toMatchObject({ type: 'lost' });
    await cells.run('n += 1');
    expect(cells.changes.map(({ isWhole }) => isWhole)).toEqual([true, false]);
    await using other = await openHost();
    await other.executor.restoreStates?.('session-1', cells.chain());
    expect(await journalCells(other).run('n')).toBe('2');
  });
});
