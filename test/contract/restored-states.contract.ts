// What every host with cells does: a session's variables come back from what its calls have left in a journal.
import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/agent/host.ts';
import { journalCells } from '../support/repl/journalled-cells.ts';

type CellHost = Pick<Host, 'executor' | 'workspace'> & AsyncDisposable;

export function restoredStatesContract(name: string, openHost: () => Promise<CellHost>): void {
  describe(`a session restored in ${name}`, () => {
    it('has its variables in a new host, and goes on with the same chain', async () => {
      let changes;
      {
        await using host = await openHost();
        const cells = journalCells(host);
        await cells.run(
          'let n = 1; const seen = new Map([["a", { at: 7 }]]); function next() { return (n += 1) }',
        );
        await cells.run('next()');
        changes = cells.changes;
      }
      expect(changes.map(({ isWhole }) => isWhole)).toEqual([true, false]);
      expect(changes[1]?.kept.toSorted()).toEqual(['n', 'next', 'seen']);
      await using host = await openHost();
      const cells = journalCells(host, changes);
      await host.executor.restoreStates?.('session-1', cells.chain());
      expect(await cells.run('[next(), seen.get("a").at].join()')).toBe("'3,7'");
      expect(cells.changes.map(({ isWhole }) => isWhole)).toEqual([true, false, false]);
      await using third = await openHost();
      await third.executor.restoreStates?.('session-1', cells.chain());
      expect(await journalCells(third).run('next()')).toBe('4');
    });

    it('goes back to an earlier point, and to the one before its first cell', async () => {
      await using host = await openHost();
      const cells = journalCells(host);
      await cells.run('let n = 1');
      await cells.run('n = 2; let other = 1');
      await host.executor.restoreStates?.('session-1', cells.chain(1));
      const back = journalCells(host, cells.changes.slice(0, 1));
      expect(await back.run('[n, typeof other].join()')).toBe("'1,undefined'");
      expect(back.changes.at(-1)?.isWhole).toBe(false);
      await host.executor.restoreStates?.('session-1', []);
      const anew = journalCells(host);
      expect(await anew.run('[typeof n, typeof other].join()')).toBe("'undefined,undefined'");
    });

    it('begins anew where the bytes are lost, says so, and begins a chain of its own', async () => {
      await using host = await openHost();
      const cells = journalCells(host);
      await cells.run('let n = 1');
      const lost = [{ toolName: 'Repl', changes: [], lost: 'The medium lost them.' }];
      await host.executor.restoreStates?.('session-1', lost);
      const stderr =
        'The variables of this session are gone. The medium lost them. Files are not affected.\n';
      expect(await cells.start('typeof n', { isStateless: true }).reply).toMatchObject({
        output: { stderr },
      });
      await cells.run('let m = 2');
      expect(cells.changes.map(({ isWhole }) => isWhole)).toEqual([true, true]);
      await using other = await openHost();
      await other.executor.restoreStates?.('session-1', cells.chain());
      expect(await journalCells(other).run('[typeof n, m].join()')).toBe("'undefined,2'");
    });

    it('leaves other sessions as they are', async () => {
      await using host = await openHost();
      const [cells, other] = [journalCells(host), journalCells(host)];
      await cells.run('let n = 1');
      await other.run('let n = 5', { sessionId: 'session-2' });
      await host.executor.restoreStates?.('session-1', []);
      expect(await other.run('n', { sessionId: 'session-2' })).toBe('5');
    });

    it('changes nothing where a chain cannot be read', async () => {
      await using host = await openHost();
      const cells = journalCells(host);
      await cells.run('let n = 1');
      await cells.run('n = 2');
      const [, last] = cells.changes;
      const broken = [{ toolName: 'Repl', changes: [last!.bytes] }];
      await expect(host.executor.restoreStates?.('session-1', broken)).rejects.toMatchObject({
        code: 'invalid-input',
      });
      expect(await cells.run('n')).toBe('2');
    });

    it('has no change of a cell that was rolled back, discarded or needs no state', async () => {
      await using host = await openHost();
      const cells = journalCells(host);
      await cells.run('let n = 1');
      const failed = await cells.start('n = 2; throw new Error("no")').reply;
      expect(failed).toMatchObject({ type: 'done' });
      expect(failed).not.toHaveProperty('state');
      const refused = cells.start('n = 3');
      expect(await refused.reply).toMatchObject({ state: { isWhole: false } });
      refused.discard();
      const free = await cells.start('1 + 1', { isStateless: true }).reply;
      expect(free).toMatchObject({ type: 'done' });
      expect(free).not.toHaveProperty('state');
      // Against the state that was kept last, and not the one that was taken back.
      await cells.run('n += 10');
      await using second = await openHost();
      await second.executor.restoreStates?.('session-1', cells.chain());
      expect(await journalCells(second).run('n')).toBe('11');
    });
  });
}
