// A session's journal in a stream of its workspace.
import { describe, expect, it, onTestFinished } from 'vitest';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { createSessionJournal } from '../../../../src/agent/journal/session-journal.ts';
import {
  createStreamStore,
  hasJournal,
  loadJournal,
  readLastEntry,
  toJournalId,
} from '../../../../src/agent/journal/stored-journal.ts';
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { opened, prompt, session, turn } from '../../../support/sessions/journals.ts';

async function open() {
  const workspace = await createMemoryWorkspace();
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const record = (workspace: Workspace, fold = new SessionFold()) =>
  createSessionJournal({
    fold,
    store: createStreamStore(workspace, 'session-1'),
    clock: { now: () => 7 },
  });

const withText = (text: string): JournalRecord => ({ type: 'state', key: 'text', value: text });

describe('a stored journal', () => {
  it('gives back what was recorded: small and large, alone and with a commit', async () => {
    const workspace = await open();
    expect(await hasJournal(workspace, 'session-1')).toBe(false);
    const journal = record(workspace);
    const marked: JournalRecord = { type: 'state', key: 'marked', value: { $text: 0 } };
    await journal.record(session, opened, marked, withText('x'.repeat(70_000)));
    const author = { kind: 'agent' } as const;
    const changes = [
      { type: 'mkdir', path: '/a', baseVersion: 0, mode: 0o755, mtimeMs: 1 },
    ] as const;
    await journal.recordWith([prompt('p1')], (append) =>
      workspace.commit(
        { baseSeq: workspace.seq(), changes },
        { author, ...(append && { append }) },
      ),
    );
    await journal.recordSafely(turn('p1'));
    const loaded = await loadJournal(workspace, 'session-1');
    expect(loaded.entries).toEqual(journal.fold.entries);
    expect(loaded.entries.map(({ seq }) => seq !== undefined)).toEqual([
      ...[false, false, false, false],
      ...[true, false],
    ]);
    expect(await hasJournal(workspace, 'session-1')).toBe(true);
  });

  it('has a last entry with a time, however long that entry is', async () => {
    const workspace = await open();
    const journal = record(workspace);
    const value = Array.from({ length: 4 }, () => 'x'.repeat(60_000));
    await journal.recordSafely(session, { type: 'state', key: 'text', value });
    const [stream] = await workspace.streams.list();
    expect(await readLastEntry(workspace, stream!)).toMatchObject({ type: 'state', n: 2, time: 7 });
  });

  it('flushes what waits, and appends nothing of its own', async () => {
    const workspace = await open();
    const journal = record(workspace);
    await journal.flush();
    void journal.record(session);
    void journal.record(opened);
    await journal.flush();
    expect((await workspace.streams.list()).map(({ length }) => length)).toEqual([2]);
  });

  it('is broken for the first of two writers when the second has written', async () => {
    const workspace = await open();
    const first = record(workspace);
    await first.recordSafely(session, opened);
    const second = record(workspace, await loadJournal(workspace, 'session-1'));
    await second.recordSafely(opened);
    await first.record(prompt('p1'));
    await expect(first.flush()).rejects.toMatchObject({ code: 'EFENCED' });
    expect(second.broken.aborted).toBe(false);
  });

  it('leaves a newer format untouched', async () => {
    const workspace = await open();
    const value = { ...session, format: 2, n: 1, time: 1 };
    await workspace.streams.append(toJournalId('session-1'), [{ value }], { at: 0 });
    await expect(loadJournal(workspace, 'session-1')).rejects.toMatchObject({
      code: 'unsupported-environment',
      data: { format: 2 },
    });
  });
});
