// A session out of one workspace and into another: what was said goes along, and nothing that was allowed.
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../../../src/agent/journal/journal-codec.ts';
import { writeJournalFile } from '../../../../src/agent/journal/journal-file.ts';
import { loadJournal } from '../../../../src/agent/journal/stored-journal.ts';
import {
  exportSession,
  importSession,
} from '../../../../src/agent/stored-sessions/session-file.ts';
import {
  getSessionInfo,
  listSessions,
} from '../../../../src/agent/stored-sessions/session-info.ts';
import type { JournalRecord } from '../../../../src/core/journal.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { listTurn, writeJournal } from '../../../support/written-journals.ts';

const long = 'a long prompt '.repeat(10_000);

/** A file of these records, as somebody who can write one would. */
const forge = (records: readonly unknown[]) =>
  writeJournalFile(
    'theirs',
    records.map((record, index) => encodeRecord({ time: 1, n: index + 1, ...(record as object) })),
  );

describe('an exported session', () => {
  it('is one of another workspace with the same words, under an id of its own', async () => {
    await using from = await createInlineHost();
    await using to = await createInlineHost({ cwd: '/elsewhere' });
    const records: JournalRecord[] = [
      ...listTurn('a', long),
      { type: 'meta', title: 'My title' },
      {
        type: 'permissions',
        updates: [
          {
            type: 'addRules',
            rules: [{ toolName: 'Write' }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
        mode: 'bypassPermissions',
      },
    ];
    await writeJournal(from, 'a', records);
    const file = await exportSession('a', { host: from });
    const { sessionId } = await importSession(file, { host: to });
    expect(sessionId).not.toBe('a');
    const before = await loadJournal(from.workspace, 'a');
    const after = await loadJournal(to.workspace, sessionId);
    expect(after.messages).toEqual(before.messages);
    expect(after.messages[0]?.content).toBe(long);
    expect(after.session).toMatchObject({ id: sessionId, cwd: '/elsewhere' });
    expect(after.session?.seed).not.toBe(before.session?.seed);
    expect(after.permissions).toMatchObject([{ updates: [], taintedBy: 'import' }]);
    expect(after.turn).toBeUndefined();
    expect(await getSessionInfo(sessionId, { host: to })).toMatchObject({
      summary: 'My title',
      cwd: '/elsewhere',
    });
    // What was exported stays as it was, and may be imported twice.
    expect((await importSession(file, { host: from })).sessionId).not.toBe(sessionId);
    expect(await loadJournal(from.workspace, 'a')).toEqual(before);
  });

  it('must be kept, and a file the bytes of one', async () => {
    await using host = await createInlineHost();
    await expect(exportSession('no', { host })).rejects.toThrow('keeps no session "no"');
    const text = 'a text' as unknown as Uint8Array<ArrayBuffer>;
    await expect(importSession(text, { host })).rejects.toThrow('as a Uint8Array');
    const bytes = new TextEncoder().encode('no file');
    await expect(importSession(bytes, { host })).rejects.toThrow('no whole session file');
  });

  const turn = listTurn('theirs', 'Hello');
  it.each<[string, readonly unknown[]]>([
    ['of no conversation', [{ type: 'session' }, { type: 'prompt', uuid: 1 }, { type: 'turn' }]],
    ['with a reply to nothing', turn.filter(({ type }) => type !== 'request')],
    ['that goes back to where nothing is', [...turn, { type: 'rewound', to: 99 }]],
    ['whose text is missing', [...turn, { type: 'meta', title: { $text: 7 } }]],
  ])('is refused %s, and leaves nothing', async (_, records) => {
    await using host = await createInlineHost();
    const file = await forge(records);
    await expect(importSession(file, { host })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(await listSessions({ host })).toEqual([]);
  });
});
