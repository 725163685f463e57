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
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { listTurn, writeJournal } from '../../../support/sessions/written-journals.ts';

const long = 'a long prompt '.repeat(10_000);

const called = {
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const call = { type: 'tool_use', id: 'call-1', name: 'Read', input: {} };
const answer = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'call-1', content: 'x' }],
};

const notEnded =
  'The session was imported before this call had a result. It may have run elsewhere.';

/** A first turn that ends with a call, and a second that knows nothing of it. */
const asking = listTurn('theirs', 'Hello').map((record) =>
  record.type === 'reply' ? { ...record, message: { ...called, content: [call] } } : record,
);
const again = [
  { type: 'prompt', uuid: 'p2', message: { role: 'user', content: 'And?' } },
  { type: 'turn', prompt: 'p2' },
  { type: 'request', step: 2, model: 'm', hash: 'h', messages: 3 },
  {
    type: 'reply',
    step: 2,
    uuid: 'r2',
    end: 'whole',
    message: { ...called, content: [{ type: 'text', text: 'Yes.' }] },
  },
];

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

  it('works in no tree of the other workspace, by no model and app state that was set there', async () => {
    await using host = await createInlineHost();
    const path = '/workspace/.worktrees/b';
    const worktree = { path, from: '/workspace', branch: 'b', origin: 'git' };
    const states = [
      { key: 'worktree', value: { type: 'in', callId: 'c', worktree, of: '/workspace' } },
      { key: 'settings/model', value: 'dear' },
      { key: 'app', value: { isAdmin: true } },
      { key: 'plan', value: { accepted: 'Look first.' } },
      { key: 'appetite', value: 1 },
    ].map((state) => ({ type: 'state', ...state }));
    const file = await forge([...listTurn('theirs', 'Hello'), ...states]);
    const { sessionId } = await importSession(file, { host });
    const { states: kept, worktrees } = await loadJournal(host.workspace, sessionId);
    expect([[...kept.keys()], worktrees]).toEqual([['plan', 'appetite'], []]);
  });

  it('must be kept, and a file the bytes of one', async () => {
    await using host = await createInlineHost();
    await expect(exportSession('no', { host })).rejects.toThrow('keeps no session "no"');
    const text = 'a text' as unknown as Uint8Array<ArrayBuffer>;
    await expect(importSession(text, { host })).rejects.toThrow('as a Uint8Array');
    const bytes = new TextEncoder().encode('no file');
    await expect(importSession(bytes, { host })).rejects.toThrow('no whole session file');
  });

  it('needs no results of calls that were taken back', async () => {
    await using host = await createInlineHost();
    const [session, opened, prompt, begun, request, reply] = listTurn('a', 'Hello');
    const asks = { ...reply, message: { ...called, content: [call] } };
    const records = [session, opened, prompt, begun, request, asks, { type: 'rewound', to: 2 }];
    await writeJournal(host, 'a', records as JournalRecord[]);
    const { sessionId } = await importSession(await exportSession('a', { host }), { host });
    expect((await loadJournal(host.workspace, sessionId)).messages).toEqual([]);
  });

  it('answers its open calls, also while a sub-agent works', async () => {
    await using host = await createInlineHost();
    const ofAgent = listTurn('agent', 'Look.').filter(
      ({ type }) => type === 'request' || type === 'reply',
    );
    const records = [...asking, ...ofAgent.map((record) => ({ ...record, agent: 'one' }))];
    await writeJournal(host, 'theirs', records as JournalRecord[]);
    const file = await exportSession('theirs', { host });
    const { sessionId } = await importSession(file, { host });
    const { messages, turn: open } = await loadJournal(host.workspace, sessionId);
    const results = [{ ...answer.content[0], content: notEnded, is_error: true }];
    expect(messages.at(-1)).toEqual({ role: 'user', content: results });
    expect(open).toBeUndefined();
  });

  const turn = listTurn('theirs', 'Hello');
  it.each<[string, readonly unknown[]]>([
    ['of no conversation', [{ type: 'session' }, { type: 'prompt', uuid: 1 }, { type: 'turn' }]],
    ['with a reply to nothing', turn.filter(({ type }) => type !== 'request')],
    ['that goes back to where nothing is', [...turn, { type: 'rewound', to: 99 }]],
    ['whose call has no result', [...asking, ...again]],
    ['whose result has no call', [...turn, { type: 'results', step: 1, message: answer }]],
    ['whose text is missing', [...turn, { type: 'meta', title: { $text: 7 } }]],
  ])('is refused %s, and leaves nothing', async (_, records) => {
    await using host = await createInlineHost();
    const file = await forge(records);
    await expect(importSession(file, { host })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(await listSessions({ host })).toEqual([]);
  });
});
