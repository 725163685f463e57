// Which parts of a conversation can be taken out, what it is afterwards, and how large.
import { describe, expect, it } from 'vitest';
import { measureContext } from '../../../../src/agent/context/context-size.ts';
import { planCompaction } from '../../../../src/agent/context/compact.ts';
import { listParts } from '../../../../src/agent/context/snip.ts';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { createSessionJournal } from '../../../../src/agent/journal/session-journal.ts';
import { snipHistory } from '../../../../src/agent/session/session-history.ts';
import { createSessionStates } from '../../../../src/agent/session/session-states.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import type { AssistantMessage } from '../../../../src/core/messages/messages.ts';
import { toSystemReminder } from '../../../../src/core/messages/system-reminder.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';

const prompt = (uuid: string): JournalRecord[] => [
  { type: 'prompt', uuid, message: { role: 'user', content: `Prompt ${uuid}` } },
  { type: 'turn', prompt: uuid },
];

const reply = (step: number, ...content: readonly ContentBlock[]): JournalRecord[] => [
  { type: 'request', step, model: 'm', hash: '', messages: 0 },
  {
    type: 'reply',
    step,
    uuid: `r${step}`,
    end: 'whole',
    message: { content } as unknown as AssistantMessage,
  },
];

const call = (id: string, name = 'Read') =>
  ({ type: 'tool_use', id, name, input: { file_path: `/${id}` } }) as const;

const results = (step: number, id: string, chars = 4_000): JournalRecord => ({
  type: 'results',
  step,
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(chars) }],
  },
});

/** A call with its result. */
const step = (n: number, name?: string): JournalRecord[] => [
  ...reply(n, call(`c${n}`, name)),
  results(n, `c${n}`),
];

const says = (n: number, text = 'Done.') => reply(n, { type: 'text', text });

async function open(records: readonly JournalRecord[]) {
  const fold = new SessionFold();
  const journal = createSessionJournal({ fold, store: undefined, clock: { now: () => 0 } });
  await journal.record(...records);
  const states = createSessionStates(journal);
  return {
    fold,
    journal,
    ids: () => listParts(fold).map(({ entries }) => entries[0]),
    texts: () => listParts(fold).map(({ text }) => text),
    snip: (callId: string, from: number, to: number, note = 'Noted.') =>
      snipHistory({ journal, states }, callId, { from, to, note }),
  };
}

describe('the parts', () => {
  it('are replies with their results, oldest first, in a line each', async () => {
    const { fold, texts } = await open([
      ...prompt('a'),
      ...step(1),
      ...says(2, `Long\n${'words '.repeat(40)}`),
      ...prompt('b'),
      ...step(3, 'Grep'),
    ]);
    expect(texts()).toEqual([
      'Read {"file_path":"/c1"}',
      `Long ${'words '.repeat(13)}`.slice(0, 79) + '…',
      'Grep {"file_path":"/c3"}',
    ]);
    expect(listParts(fold).map(({ entries, tokens }) => [entries, tokens > 1_000])).toEqual([
      [[4, 5], true],
      [[7], false],
      [[11, 12], true],
    ]);
  });

  it.each(['Skill', 'ToolSearch', 'AskUserQuestion', 'ExitPlanMode'])(
    'are not what %s gave: it is of use, or a person’s word',
    async (name) => {
      const { texts } = await open([...prompt('a'), ...step(1, name), ...step(2)]);
      expect(texts()).toEqual(['Read {"file_path":"/c2"}']);
    },
  );

  it('are not a reply whose results are still to come', async () => {
    const { texts } = await open([...prompt('a'), ...step(1), ...reply(2, call('c2'))]);
    expect(texts()).toEqual(['Read {"file_path":"/c1"}']);
  });

  it('hold together what its server went on with', async () => {
    const { fold, texts } = await open([
      ...prompt('a'),
      ...reply(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      ...reply(2, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
      ...prompt('b'),
      ...step(3),
    ]);
    expect(listParts(fold).map(({ entries }) => entries)).toEqual([
      [4, 6],
      [10, 11],
    ]);
    expect(texts()).toHaveLength(2);
  });

  it('are not a summary, nor what an agent was handed by its caller', async () => {
    const { fold, journal, texts } = await open([...prompt('a'), ...step(1), ...step(2)]);
    await journal.record({
      type: 'compacted',
      keepFrom: 6,
      summary: [toSystemReminder('What was.')],
      trigger: 'manual',
    });
    expect(texts()).toEqual(['Read {"file_path":"/c2"}']);
    const caller = new SessionFold();
    const agents = createSessionJournal({
      fold: caller,
      store: undefined,
      clock: { now: () => 0 },
    });
    await agents.record(...prompt('a'), ...step(1), ...reply(2, call('c', 'Agent')), {
      ...{ type: 'agent', id: 'x', callId: 'c', agentType: 'fork', description: 'd', model: 'm' },
      ...{ depth: 1, isBackground: false, inherits: 3 },
    });
    const own = caller.foldOf('x');
    expect(own?.messages).toHaveLength(3);
    expect(own && listParts(own)).toEqual([]);
    expect(fold.messages).toHaveLength(3);
  });
});

describe('a snip', () => {
  const work = [
    ...prompt('a'),
    ...step(1),
    ...step(2),
    ...says(3),
    ...prompt('b'),
    ...step(4),
    ...step(5),
  ];

  it('leaves the prompts, and each other message as it was', async () => {
    const { fold, ids, snip } = await open(work);
    const before = structuredClone(fold.messages);
    const [, second = 0, , fourth = 0] = ids();
    const { parts, freedTokens } = await snip('s', second, fourth, 'b is </system-reminder> 2.');
    expect(parts.map(({ text }) => text)).toEqual([
      'Read {"file_path":"/c2"}',
      'Done.',
      'Read {"file_path":"/c4"}',
    ]);
    expect(freedTokens).toBeGreaterThan(2_000);
    const note = toSystemReminder(
      '3 of your replies, with the results of what you called, stood here until you took it out by Snip. This is what you noted of it:\n\nb is &lt;/system-reminder> 2.',
    );
    // The prompt, the first step; then the second prompt and the last step.
    const expected = [...before.slice(0, 3), note, before[6], ...before.slice(9)];
    expect(fold.messages).toEqual(expected);
    expect(listBreaches(fold.messages)).toEqual([]);
    expect(fold.cutAt).toBe(3);
  });

  it('is the same when its call runs once more, and takes out nothing twice', async () => {
    const { fold, ids, snip } = await open(work);
    const [first = 0, second = 0] = ids();
    const done = await snip('s', first, second);
    const { length } = fold;
    expect(await snip('s', first, second)).toEqual(done);
    expect(fold.length).toBe(length);
  });

  it('of several at once takes each part once', async () => {
    const { fold, ids, snip } = await open(work);
    const [first = 0, second = 0, third = 0] = ids();
    const [one, other] = await Promise.allSettled([
      snip('s', first, second),
      snip('t', second, third),
    ]);
    expect([one.status, other.status]).toEqual(['fulfilled', 'rejected']);
    expect(fold.snips.size).toBe(1);
  });

  it.each<[string, (ids: readonly number[]) => readonly [number, number, string?], string]>([
    ['a number of no part', ([first = 0]) => [first, 999], 'There is no part 999'],
    ['a prompt’s number', ([first = 0]) => [2, first], 'There is no part 2'],
    ['an end before its beginning', ([one = 0, two = 0]) => [two, one], 'name the older one first'],
    [
      'a note that is longer than the part',
      ([, , third = 0]) => [third, third, 'x'.repeat(4_000)],
      'The note is longer',
    ],
  ])('refuses %s, and records nothing', async (_what, span, message) => {
    const { fold, ids, snip } = await open(work);
    const { length } = fold;
    const [from, to, note] = span(ids() as number[]);
    await expect(snip('s', from, to, note)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(message),
    });
    expect(fold.length).toBe(length);
  });

  it('is summed up with what is older, note and all', async () => {
    const { fold, journal, ids, snip } = await open([
      ...prompt('a'),
      ...step(1),
      ...step(2),
      ...[3, 4, 5, 6, 7, 8].flatMap((n) => [
        ...reply(n, call(`c${n}`)),
        results(n, `c${n}`, 20_000),
      ]),
    ]);
    const [first = 0, second = 0] = ids();
    await snip('s', first, second);
    const plan = planCompaction(fold);
    expect(plan?.first).toBeGreaterThan(2);
    const summary = [toSystemReminder('What was.')];
    await journal.record({
      type: 'compacted',
      keepFrom: plan?.keepFrom ?? 0,
      summary,
      trigger: 'manual',
    });
    expect(JSON.stringify(fold.messages)).not.toContain('Noted.');
    expect([fold.cutAt, listBreaches(fold.messages)]).toEqual([undefined, []]);
  });

  it('makes the conversation as much smaller as it says, also while the reply that counts it comes', async () => {
    const usage = (step: number, tokens: number): JournalRecord => ({
      ...{
        type: 'usage',
        requestId: `${step}`,
        purpose: 'turn',
        model: 'm',
        usd: 0,
        basis: 'list',
      },
      ...{ usage: { input_tokens: tokens, output_tokens: 0 }, apiMs: 0 },
    });
    const { fold, journal, ids, snip } = await open([...prompt('a'), ...step(1), ...step(2)]);
    const [first = 0, second = 0] = ids();
    await journal.record({ type: 'request', step: 3, model: 'm', hash: '', messages: 5 });
    const { freedTokens } = await snip('s', first, second);
    await journal.record(...reply(3, call('s', 'Snip')).slice(1), usage(3, 50_000));
    expect(measureContext(fold)).toBe(50_000 - freedTokens);
    await journal.record(...says(4), usage(4, 20_000));
    expect(measureContext(fold)).toBe(20_000);
  });
});
