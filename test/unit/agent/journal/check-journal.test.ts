import { describe, expect, test } from 'vitest';
import { checkJournal } from '../../../../src/agent/journal/check-journal.ts';
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import {
  block,
  call,
  foldEntries,
  opened,
  prompt,
  reply,
  request,
  result,
  results,
  say,
  session,
  settled,
  toEntries,
  turn,
  asks,
} from '../../../support/sessions/journals.ts';

const whole = [
  session,
  opened,
  prompt('p'),
  turn('p'),
  request(1),
  block(1, 0, asks('a')),
  call('a'),
  reply(1, [asks('a')]),
  settled('a', { vm: { tool: 'Repl', form: 'whole', bytes: { contentId: 7 }, size: 9 } }),
  results(1, 'a'),
  request(2),
  reply(2, [say('Done.')]),
  result,
];
const check = (...records: readonly unknown[]) =>
  checkJournal(toEntries(...(records as JournalRecord[])));

describe('checkJournal', () => {
  test('takes every journal up to any entry, and what it does not know', () => {
    for (let cut = 0; cut <= whole.length; cut += 1) {
      expect(() => check(...whole.slice(0, cut))).not.toThrow();
    }
    const agents = { type: 'request', step: 1, model: 'm', agent: 'a' };
    const entries = check(...whole, { type: 'postcard', from: 'x' }, agents);
    expect(foldEntries(entries).length).toBe(whole.length + 2);
  });

  test('refuses a newer format with a sentence, wherever it stands', () => {
    const newer = { ...session, format: 2 };
    const refusal = {
      code: 'unsupported-environment',
      data: { format: 2 },
      message:
        'The session was written in format 2, this version of Rockpool reads up to 1; it was left untouched. Update Rockpool, or begin a new session.',
    };
    for (const records of [[newer], [session, opened, newer]]) {
      expect(() => check(...records)).toThrow(expect.objectContaining(refusal));
    }
  });

  test('refuses gaps and entries out of order', () => {
    const entries = toEntries(...whole);
    const swapped = [...entries.slice(0, 2), ...entries.slice(2, 4).reverse()];
    for (const wrong of [entries.toSpliced(2, 1), swapped, entries.slice(1)]) {
      expect(() => checkJournal(wrong)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    }
    expect(() => checkJournal(entries.toSpliced(2, 1))).toThrow(
      'This is no whole journal of a session: entry 3 is missing: number 4 is in its place. It was left ' +
        'untouched. Where there is a copy or an export of the session, import that; otherwise begin a new one.',
    );
  });

  test.each<[string, unknown]>([
    ['no entry', null],
    ['no type', {}],
    ['a format that is none', { ...session, format: 'new' }],
    ['a turn without its prompt', turn('other')],
    ['a request that was made', request(1)],
    ['a reply to no request', reply(9, [say('x')])],
    ['a reply without content', { ...reply(2, []), message: { role: 'assistant' } }],
    [
      'results that are the model’s',
      { ...results(2), message: { role: 'assistant', content: [] } },
    ],
    ['a result for no call', { ...settled('b'), result: { type: 'tool_result' } }],
    ['a state of no tool', settled('b', { vm: { form: 'whole' } as never })],
    ['notes that are no texts', settled('b', { notes: [1] } as never)],
    ['a rewind into the future', { type: 'rewound', to: 99 }],
    ['a rewind to itself', { type: 'rewound', to: whole.length + 1 }],
    ['a compaction of nothing', { type: 'compacted', keepFrom: 0, summary: [] }],
    ['an agent without a name', { ...call('b'), agent: 5 }],
  ])('refuses %s', (_, record) => {
    expect(() => check(...whole, record)).toThrow(
      expect.objectContaining({ code: 'invalid-input', data: { n: whole.length + 1 } }),
    );
  });
});
