// A session's file is played again: nothing differs where nothing was changed, and what was changed is named
// at the right place.
import { describe, expect, it } from 'vitest';
import { toImportedEntries } from '../../../../src/agent/journal/imported-entries.ts';
import { encodeRecord } from '../../../../src/agent/journal/journal-codec.ts';
import { replay } from '../../../../src/agent/replay/replay.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { JournalEntry } from '../../../../src/core/session/journal.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { openRecorded } from '../../../support/sessions/recorded-session.ts';
import { callOf } from '../../../support/stages/run-calls.ts';

import {
  asks,
  count,
  openHost,
  opened,
  pageTool,
  read,
  record,
  recordLong,
  says,
  stream,
  text,
  toFile,
  verify,
} from '../../../support/sessions/replayed-session.ts';

describe('a replay that verifies', () => {
  it('finds no difference where nothing was changed, and touches no file', async () => {
    const session = await recordLong();
    const host = await openHost();
    expect(await verify(session, { host })).toEqual({
      sessionId: 'session-1',
      version: expect.any(String),
      entries: session.entries.length,
      requests: count(session, 'request'),
      calls: 0,
    });
    expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
  });

  it('finds none where replies were cut, stopped and begun anew, and hooks have spoken', async () => {
    const whole = [...toEvents(assistantMessage([text('I look.'), read('r')]))];
    const closes = whole.findLastIndex(({ type }) => type === 'content_block_stop');
    const session = await record(
      [
        () => stream(whole.slice(0, closes + 1)),
        () => {
          throw new SdkError('model-overloaded', 'Later.');
        },
        () => stream([...whole.slice(0, closes + 1), ...whole]),
        says('Done.'),
      ],
      {
        hooks: {
          PostToolUse: [
            {
              hooks: [
                async () => ({
                  hookSpecificOutput: {
                    hookEventName: 'PostToolUse',
                    additionalContext: 'Mind the gap.',
                  },
                }),
              ],
            },
          ],
        },
      },
      ['First.', 'Second.', 'Third.'],
    );
    const result = await verify(session);
    expect(result.difference).toBeUndefined();
    expect(result.requests).toBe(count(session, 'request'));
  });

  it('finds none in plan mode, which is told and taken back', async () => {
    const one = await openRecorded([says('A plan.'), says('Done.')], { permissionMode: 'plan' });
    opened.push(one);
    await one.play('Plan.');
    one.session.permissions.setMode('default');
    await one.play('Do it.');
    const { entries } = one.journal.fold;
    const file = await toFile(entries);
    const host = await openHost();
    const result = await replay(file, { host, permissionMode: 'plan' });
    expect([result.difference, result.requests]).toEqual([undefined, 2]);
    const other = await replay(file, { host, permissionMode: 'default' });
    expect(other.difference).toMatchObject({ kind: 'messages' });
  });

  it('compares no request from before an import, and all behind it', async () => {
    const theirs = await record([asks(read('r')), says('Done.')], { permissionMode: 'plan' });
    const imported = toImportedEntries(
      theirs.entries.map((entry) => encodeRecord(entry)),
      { id: 'session-1', seed: 'ours', cwd: '/workspace', version: '0', time: 1 },
    );
    const past = imported.map(({ value }) => value as JournalEntry);
    const ours = await record([says('Yours.')], { past });
    const result = await verify(ours);
    expect([result.difference, result.requests]).toEqual([undefined, 1]);
    expect(result.entries).toBe(ours.entries.length);
  });

  it('finds none after a rewind and a compaction', async () => {
    const one = await openRecorded([
      asks(read('r')),
      says('Done.'),
      says('Second.'),
      says('Another second.'),
      says('Third.'),
    ]);
    opened.push(one);
    const { journal } = one;
    await one.play('First.');
    const to = journal.fold.length;
    await one.play('Wrong.');
    await journal.record({ type: 'rewound', to });
    await one.play('Second.');
    await journal.record({
      type: 'compacted',
      keepFrom: journal.fold.length,
      summary: [{ role: 'user', content: 'It was read.' }],
      trigger: 'manual',
    });
    await one.play('Third.');
    const { entries } = journal.fold;
    const result = await replay(await toFile(entries), { host: await openHost() });
    expect([result.difference, result.requests]).toEqual([undefined, 5]);
  });

  it('names another system prompt, at the first request', async () => {
    const session = await record([says('Done.')], { systemPrompt: 'Be kind.' });
    expect((await verify(session, { systemPrompt: 'Be kind.' })).difference).toBeUndefined();
    const { difference, requests } = await verify(session, { systemPrompt: 'Be brief.' });
    expect(requests).toBe(1);
    expect(difference).toMatchObject({
      kind: 'system',
      actual: expect.stringMatching('Be brief.'),
    });
    expect(session.entries[(difference?.at ?? 0) - 1]?.type).toBe('request');
    expect(difference?.message).toMatch(/^Request 1 \(entry \d+\) has another system prompt\./u);
  });

  it('names the tool whose description was changed, is new, or is gone', async () => {
    const tools = (...own: readonly Tool[]) => ['Read', ...own];
    const session = await record([asks(callOf('Note', {}, 'n')), says('Done.')], {
      tools: tools(pageTool('Takes a note.')),
    });
    expect(
      (await verify(session, { tools: tools(pageTool('Takes a note.')) })).difference,
    ).toBeUndefined();
    const changed = await verify(session, { tools: tools(pageTool('Takes notes.')) });
    expect(changed.difference).toMatchObject({
      kind: 'tools',
      message: expect.stringContaining('Note is defined otherwise'),
      actual: expect.stringContaining('Takes notes.'),
    });
    const fewer = await verify(session, { tools: ['Read'] });
    expect(fewer.difference?.message).toContain('Note is not there any more');
    const more = await verify(session, { tools: ['Edit', ...tools(pageTool('Takes a note.'))] });
    expect(more.difference?.message).toContain('Edit is new');
  });

  it('says where it can’t say more: the file has no hashes of the parts', async () => {
    const session = await record([says('Done.')], { systemPrompt: 'Be kind.' });
    const entries = session.entries.map((entry): JournalEntry => {
      if (entry.type !== 'request') return entry;
      const { head: _, ...rest } = entry;
      return rest;
    });
    const { difference } = await verify({ ...session, entries }, { systemPrompt: 'Be brief.' });
    expect(difference).toMatchObject({
      kind: 'request',
      message: expect.stringMatching(/^Request 1/u),
    });
  });

  it('names the request and the message from which on the conversation differs', async () => {
    const session = await recordLong();
    const at = session.entries.findIndex((entry) => entry.type === 'results' && entry.step === 3);
    const entries = session.entries.map((entry, index) =>
      index === at
        ? (JSON.parse(
            JSON.stringify(entry).replace('"content":"', '"content":"Well: '),
          ) as JournalEntry)
        : entry,
    );
    expect(entries[at]).not.toEqual(session.entries[at]);
    const { difference } = await verify({ ...session, entries });
    expect(difference?.kind).toBe('messages');
    expect(difference?.message).toMatch(/^Request 4 .* at or behind index \d+\./u);
  });
});

describe('bad input', () => {
  it('refuses a cut file, a file without a base, and a workspace with files', async () => {
    const session = await record([says('Done.')]);
    const host = await openHost();
    const file = await toFile(session.entries, session.base);
    await expect(replay(file.slice(0, -20), { host })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    const bare = await toFile(session.entries);
    await expect(replay(bare, { host, mode: 'rerun' })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('{ base: true }'),
    });
    await host.workspace.fs.writeFile('/workspace/mine.txt', 'mine');
    await expect(replay(file, { host, mode: 'rerun' })).rejects.toMatchObject({
      code: 'bad-usage',
    });
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['mine.txt']);
    await expect(replay(file, { host, mode: 'other' as 'verify' })).rejects.toMatchObject({
      code: 'bad-usage',
    });
  });
});
