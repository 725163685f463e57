import { describe, expect, test } from 'vitest';
import { isClearingDue, planClearing } from '../../../../src/agent/context/clear-results.ts';
import {
  hasJustCompacted,
  isCompactionDue,
  isCompactionFutile,
  planCompaction,
  toSummaryMessages,
} from '../../../../src/agent/context/compact.ts';
import { measureContext } from '../../../../src/agent/context/context-size.ts';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import type {
  AgentJournalRecord,
  JournalEntry,
  JournalRecord,
} from '../../../../src/core/session/journal.ts';
import type { AssistantMessage } from '../../../../src/core/messages/messages.ts';

const fold = (records: readonly JournalRecord[], time = 0): SessionFold => {
  const folded = new SessionFold();
  for (const [index, record] of records.entries()) {
    folded.apply({ ...record, n: index + 1, time } as JournalEntry);
  }
  return folded;
};

const begin = (uuid: string): JournalRecord[] => [
  { type: 'prompt', uuid, message: { role: 'user', content: `Prompt ${uuid}` } },
  { type: 'turn', prompt: uuid },
];

/** A request whose reply calls `name` once, and the result, of so many characters. */
const step = (n: number, chars: number, name = 'Read', isError = false): JournalRecord[] => [
  { type: 'request', step: n, model: 'm', hash: '', messages: 0 },
  {
    type: 'reply',
    step: n,
    uuid: `r${n}`,
    end: 'whole',
    message: {
      content: [{ type: 'tool_use', id: `c${n}`, name, input: { file_path: `/f${n}` } }],
    } as unknown as AssistantMessage,
  },
  {
    type: 'results',
    step: n,
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `c${n}`,
          content: 'x'.repeat(chars),
          ...(isError && { is_error: true }),
        },
      ],
    },
  },
];

const steps = (count: number, chars: number, from = 1) =>
  Array.from({ length: count }, (_, index) => step(from + index, chars)).flat();

describe('what a compaction keeps', () => {
  test('is nothing less than all of a short conversation', () => {
    expect(planCompaction(fold([...begin('a'), ...steps(3, 100)]))).toBeUndefined();
    expect(planCompaction(fold([]))).toBeUndefined();
  });

  test('is the last 20 000 tokens, never a result without its call', () => {
    const folded = fold([...begin('a'), ...steps(10, 20_000), ...begin('b'), ...steps(2, 20_000)]);
    const plan = planCompaction(folded);
    const kept = folded.messages.filter(
      (_, index) => (folded.sources[index] ?? 0) >= (plan?.keepFrom ?? 0),
    );
    // Some 5 000 tokens each: four results at most.
    expect(kept.filter(({ role }) => role === 'assistant').length).toBeGreaterThanOrEqual(2);
    expect(kept.filter(({ role }) => role === 'assistant').length).toBeLessThanOrEqual(4);
    expect(kept[0]?.role).toBe('assistant');
    expect(plan?.prompts).toEqual([]);
  });

  test('is the newest prompt too, where its turn is longer than that', () => {
    const plan = planCompaction(fold([...begin('a'), ...begin('b'), ...steps(12, 20_000)]));
    const prompt = { role: 'user', content: 'Prompt b' } as const;
    expect(plan?.prompts).toEqual([prompt]);
    const summary = toSummaryMessages({ text: 'All done so far.', replies: 3 }, [prompt], []);
    expect(summary.at(-1)).toEqual(prompt);
  });

  test('is what has joined that turn, too, unless a hook refused it', () => {
    const [toC, toD] = ['c', 'd'].map((name) => begin(name)[0] as JournalRecord);
    const joins = (prompt: string, more = {}): JournalRecord => ({
      ...{ type: 'joined', prompt },
      ...more,
    });
    const entries = [
      ...[...begin('b'), ...step(1, 100), toC, joins('c'), toD, joins('d', { blocked: 'No.' })],
      ...steps(12, 20_000, 2),
    ] as JournalRecord[];
    const said = planCompaction(fold(entries))?.prompts.map(({ content }) => content);
    expect(said).toEqual(['Prompt b', 'Prompt c']);
  });

  test('is the newest result, however long it is', () => {
    const folded = fold([...begin('a'), ...steps(3, 10_000), ...step(4, 400_000)]);
    const plan = planCompaction(folded);
    expect(folded.messages.at(-2)?.role).toBe('assistant');
    expect(plan?.keepFrom).toBe(folded.sources.at(-2));
  });
});

describe('after a compaction', () => {
  const summary = toSummaryMessages({ text: 'y'.repeat(100_000), replies: 3 }, [], []);
  const compacted: JournalRecord = { type: 'compacted', keepFrom: 12, summary, trigger: 'auto' };
  const before = [...begin('a'), ...steps(4, 100)];

  test('another one sums its summary up as a whole, and keeps what came since', () => {
    const folded = fold([...before, compacted, ...step(5, 100)]);
    expect(folded.sources[0]).toBe(0);
    const plan = planCompaction(folded);
    expect(plan?.first).toBe(1);
    expect(plan?.keepFrom).toBe(folded.sources[1]);
  });

  test('none comes before a request', () => {
    expect(hasJustCompacted(fold(before))).toBe(false);
    expect(hasJustCompacted(fold([...before, compacted]))).toBe(true);
    expect(hasJustCompacted(fold([...before, compacted, ...step(5, 100)]))).toBe(false);
  });

  test('and a rewind, the size is what it was back then', () => {
    const usage: JournalRecord = {
      type: 'usage',
      requestId: 'u',
      purpose: 'turn',
      model: 'm',
      usage: { input_tokens: 7_000, output_tokens: 5 },
      usd: 0,
      basis: 'unknown',
      apiMs: 1,
    };
    const counted = fold([...before, usage, { ...compacted, postTokens: 300 }]);
    expect(measureContext(counted)).toBe(300);
    const to = before.length + 1;
    const back = fold([
      ...before,
      usage,
      { ...compacted, postTokens: 300 },
      { type: 'rewound', to },
    ]);
    expect(measureContext(back)).toBeGreaterThanOrEqual(7_005);
    expect(measureContext(back)).toBeLessThan(7_100);
  });
});

describe("an agent's own conversation", () => {
  const usage: JournalRecord = {
    type: 'usage',
    requestId: 'u',
    purpose: 'turn',
    model: 'm',
    usage: { input_tokens: 150_000, output_tokens: 500 },
    usd: 0,
    basis: 'unknown',
    apiMs: 1,
  };
  const agent: JournalRecord = {
    type: 'agent',
    id: 'a1',
    callId: 'c',
    agentType: 'general-purpose',
    description: 'Look around',
    model: 'm',
    depth: 1,
    isBackground: true,
  };
  const work = [...begin('b'), ...step(1, 100), usage];
  const summary = { type: 'compacted', keepFrom: 3, summary: [], trigger: 'auto' } as const;
  const compacted: JournalRecord = { ...summary, preTokens: 1_000, postTokens: 900 };
  const of = (records: readonly JournalRecord[]) =>
    records.map((record): AgentJournalRecord => ({ ...record, agent: 'a1' }));

  test('is measured, summed up and cleared by its own entries, and no other by those', () => {
    const session = fold([...begin('a'), agent, ...of([...work, compacted])]);
    const own = session.agents.get('a1')?.fold as SessionFold;
    expect([measureContext(own), hasJustCompacted(own), isCompactionFutile(own)]).toEqual([
      ...[900, true, true],
    ]);
    expect(measureContext(session)).toBeLessThan(100);
    expect([hasJustCompacted(session), isCompactionFutile(session)]).toEqual([false, false]);
  });

  test('has the size that the server has counted, and a cache that runs out', () => {
    const session = fold([...begin('a'), agent, ...of(work)]);
    const own = session.agents.get('a1')?.fold as SessionFold;
    const size = measureContext(own);
    expect(size).toBeGreaterThanOrEqual(150_500);
    expect(size).toBeLessThan(150_600);
    const cold = { now: 300_001, cacheTtlMs: 300_000, tokens: 0, contextWindow: 200_000 };
    expect([isClearingDue(own, cold), isClearingDue(session, cold)]).toEqual([true, false]);
  });
});

test('a compaction that frees less than a fifth is futile until the next prompt', () => {
  const compacted = (postTokens: number): JournalRecord => ({
    type: 'compacted',
    keepFrom: 3,
    summary: [],
    trigger: 'auto',
    preTokens: 1_000,
    postTokens,
  });
  const before = [...begin('a'), ...steps(2, 100)];
  expect(isCompactionFutile(fold([...before, compacted(900)]))).toBe(true);
  expect(isCompactionFutile(fold([...before, compacted(300)]))).toBe(false);
  expect(isCompactionFutile(fold([...before, compacted(900), ...begin('b')]))).toBe(false);
});

test('it is due when a reply and a twentieth of the window would not fit any more', () => {
  const room = { contextWindow: 200_000, maxTokens: 16_000 };
  expect(isCompactionDue(173_999, room)).toBe(false);
  expect(isCompactionDue(174_001, room)).toBe(true);
});

test("the size is the server's count of the newest request, and an estimate of what came since", () => {
  const usage: JournalRecord = {
    type: 'usage',
    requestId: 'u',
    purpose: 'turn',
    model: 'm',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 5_000 },
    usd: 0,
    basis: 'unknown',
    apiMs: 1,
  };
  const [request, reply, results] = step(1, 4_000);
  const records = [...begin('a'), request, reply, usage, results] as JournalRecord[];
  const size = measureContext(fold(records));
  expect(size).toBeGreaterThan(5_015 + 1_000);
  expect(size).toBeLessThan(5_015 + 1_100);
});

test.each([
  ['an image', 'image', 1_000_000, 1_600],
  ['a PDF', 'document', 200_000, 10_000],
])('%s counts as what it costs, not as the text of its bytes', (_, type, length, cost) => {
  const usage: JournalRecord = {
    type: 'usage',
    requestId: 'u',
    purpose: 'turn',
    model: 'm',
    usage: { input_tokens: 5_000, output_tokens: 5 },
    usd: 0,
    basis: 'unknown',
    apiMs: 1,
  };
  const source = { type: 'base64', media_type: 'any/type', data: 'A'.repeat(length) };
  const content = [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type, source }] }];
  const [request, reply] = step(1, 0) as [JournalRecord, JournalRecord];
  const results = { type: 'results', step: 1, message: { role: 'user', content } } as JournalRecord;
  const size = measureContext(fold([...begin('a'), request, reply, usage, results]));
  expect(size).toBeGreaterThan(5_005 + cost);
  expect(size).toBeLessThan(5_005 + cost + 100);
});

describe('old results', () => {
  const ground = {
    now: 0,
    cacheTtlMs: 300_000,
    tokens: 0,
    contextWindow: 200_000,
    isReading: (name: string) => name !== 'Repl',
  };
  const records = [...begin('a'), ...steps(20, 10_000)];

  test('stay while the cache is warm and the window has room', () => {
    expect(planClearing(fold(records), ground)).toEqual([]);
  });

  test.each([
    ['the cache is cold', { now: 300_001 }],
    ['60 % of the window is full', { tokens: 120_001 }],
  ])('go when %s, 20 000 tokens at a time, the oldest first', (_, change) => {
    const cleared = planClearing(fold(records), { ...ground, ...change });
    expect(cleared.map(({ call }) => call.id)).toEqual(
      Array.from({ length: 8 }, (__, index) => `c${index + 1}`),
    );
  });

  test('stay where they are errors, of tools that do not only read, instructions, or among the last 8', () => {
    const kept = [
      ...begin('a'),
      ...step(1, 100_000, 'Read', true),
      ...step(2, 100_000, 'Repl'),
      ...step(3, 100_000, 'ToolSearch'),
      ...step(4, 100_000, 'Skill'),
      ...steps(8, 100_000, 5),
    ];
    expect(planClearing(fold(kept), { ...ground, tokens: 190_000 })).toEqual([]);
  });
});
