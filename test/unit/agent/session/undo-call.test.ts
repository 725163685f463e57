// One call of a session is undone by its id: after a reload, from another session, and where its file has
// moved on.
import { describe, expect, it } from 'vitest';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../../src/workspace/log/log-medium.ts';
import { openKept, type Kept } from '../../../support/sessions/open-kept.ts';

async function opened<Result>(
  medium: LogMedium,
  work: (kept: Kept) => Promise<Result>,
  sessionId = 'session-1',
): Promise<Result> {
  const kept = await openKept(medium, { sessionId });
  try {
    return await work(kept);
  } finally {
    await kept.close();
  }
}

describe('undoing a call by its id', () => {
  it('takes back what it changed, after a reload and from another session', async () => {
    const medium = createMemoryMedium();
    await opened(medium, async ({ say }) => {
      await say('a.txt one', 'p1');
      await say('a.txt two', 'p2');
      await say('b.txt made', 'p3');
    });
    const calls = await opened(
      medium,
      async ({ say, host, files }) => {
        await say('c.txt other', 'p4');
        const { history } = host.workspace;
        const entries = await history.list({ sessionId: 'session-1' });
        const [made, second] = entries;
        expect(entries.map(({ path }) => path)).toEqual(
          ['b.txt', 'a.txt', 'a.txt'].map((name) => `/workspace/${name}`),
        );
        await history.undo(made?.callId ?? '', { sessionId: 'session-1' });
        await history.undo(second?.callId ?? '', { sessionId: 'session-1' });
        expect(await files()).toEqual({ 'a.txt': 'one', 'c.txt': 'other' });
        return entries.map(({ callId }) => callId);
      },
      'session-2',
    );
    // The session goes on: what its model knew of the file doesn't count any more.
    await opened(medium, async ({ say, files, session }) => {
      await say('a.txt three', 'p5');
      expect(await files()).toEqual({ 'a.txt': 'one', 'c.txt': 'other' });
      expect(JSON.stringify(session.messages)).toContain('Read it first');
    });
    expect(new Set(calls).size).toBe(3);
  });

  it('offers a merge where somebody has changed the file since', async () => {
    const medium = createMemoryMedium();
    await opened(medium, async ({ say, host, files }) => {
      const { fs, history } = host.workspace;
      await fs.writeFile('/workspace/a.txt', 'a\nb\n');
      await say('new.txt text', 'p1');
      await fs.appendFile('/workspace/new.txt', '\nmore');
      const [entry] = await history.list();
      const { callId = '' } = entry ?? {};
      expect(await history.undo(callId)).toMatchObject({ type: 'moved', conflicts: [entry?.path] });
      expect((await files())['new.txt']).toBe('text\nmore');
    });
  });
});
