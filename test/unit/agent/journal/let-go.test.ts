// A fold that keeps next to no entry at hand knows what one knows that keeps them all, and so do readers of messages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import type { EntrySource } from '../../../../src/agent/journal/entries-at-hand.ts';
import { toKeptMessages } from '../../../../src/agent/journal/kept-messages.ts';
import { measureContext } from '../../../../src/agent/context/context-size.ts';
import { restoreUsage } from '../../../../src/agent/turn/resume-turn.ts';
import type { Session } from '../../../../src/agent/session/session.ts';
import { completeClear } from '../../../../src/agent/session/clear-session.ts';
import { createUsageMeter } from '../../../../src/agent/session/usage-meter.ts';
import { isRewind, loadJournal } from '../../../../src/agent/journal/stored-journal.ts';
import type { JournalEntry, JournalRecord } from '../../../../src/core/session/journal.ts';
import * as journals from '../../../support/sessions/journals.ts';
import { quickHost } from '../../../support/sessions/open-sessions.ts';

const { asks, block, call, foldEntries, opened, prompt, reply, request, result } = journals;
const { results, say, session, settled, toEntries, turn } = journals;

/** What a person does next: `at` chooses one of the turns so far. */
const action = fc.oneof(
  fc.record({ type: fc.constant('turn' as const), steps: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ type: fc.constant('rewind' as const), at: fc.nat() }),
  fc.record({ type: fc.constant('compact' as const) }),
);

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

function toHistory(actions: readonly Action[]): JournalEntry[] {
  const records: JournalRecord[] = [session, opened];
  const begins: number[] = [];
  let step = 0;
  actions.forEach((one, index) => {
    const end = begins[begins.length === 0 ? 0 : 'at' in one ? one.at % begins.length : 0];
    if (one.type === 'rewind' && end !== undefined) records.push({ type: 'rewound', to: end });
    if (one.type === 'compact') {
      const summary = [{ role: 'user', content: `Summary ${index}` }] as const;
      records.push({ type: 'compacted', keepFrom: records.length, summary, trigger: 'auto' });
    }
    if (one.type !== 'turn') return;
    begins.push(records.length);
    records.push(prompt(`p${index}`), turn(`p${index}`));
    for (let count = 0; count < one.steps; count += 1) {
      step += 1;
      const use = asks(`call ${step}`);
      records.push(request(step), block(step, 0, use), reply(step, [use]));
      records.push(call(`call ${step}`), settled(`call ${step}`), results(step, `call ${step}`));
    }
    step += 1;
    records.push(request(step), reply(step, [say(`Done ${index}.`)]), result);
  });
  return toEntries(...records);
}

const sourceOf = (entries: readonly JournalEntry[]): EntrySource => ({
  async *read(from) {
    yield* entries.slice(from - 1);
  },
});

/** What the open turn needs stays at hand, and so many of the newest. */
async function foldLean(entries: readonly JournalEntry[], atHand = 0): Promise<SessionFold> {
  const fold = new SessionFold(undefined, sourceOf(entries));
  for (const entry of entries) {
    if (isRewind(entry)) await fold.recall(entry.to);
    fold.apply(entry);
    fold.letGo(entry.n, atHand);
  }
  return fold;
}

const known = (fold: SessionFold) => ({
  messages: fold.messages,
  sources: fold.sources,
  prompts: fold.prompts,
  turn: fold.turn,
  turns: fold.turns,
  path: fold.pathTo(fold.length),
  waiting: fold.waiting,
  result: fold.lastResult,
});

const histories = fc.array(action, { minLength: 1, maxLength: 12 }).map(toHistory);

describe('a fold that lets entries go', () => {
  it('knows the same, over any rewinds and compactions', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (entries) => {
        const lean = await foldLean(entries);
        expect(known(lean)).toEqual(known(foldEntries(entries)));
        expect(lean.entries).toEqual([]);
        const again: JournalEntry[] = [];
        for await (const entry of lean.read()) again.push(entry);
        expect(again).toEqual(entries);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps few of the newest at hand where they are long', () => {
    const long = 'x'.repeat(500_000);
    const steps = Array.from({ length: 60 }, (_, at) => at + 1);
    const turns = steps.flatMap((step) => [
      prompt(`p${step}`),
      turn(`p${step}`),
      request(step),
      reply(step, [say(long)]),
      result,
    ]);
    const entries = toEntries(session, opened, ...turns);
    const fold = new SessionFold(undefined, sourceOf(entries));
    for (const entry of entries) {
      fold.apply(entry);
      fold.letGo(entry.n);
    }
    expect(JSON.stringify(fold.entries).length).toBeLessThan(9_000_000);
    expect(fold.entries.at(-1)).toBe(entries.at(-1));
    expect(known(fold)).toEqual(known(foldEntries(entries)));
  });

  async function expectBehind(entries: readonly JournalEntry[], after: number): Promise<void> {
    const whole = new SessionFold();
    const messages = entries.flatMap((entry) => {
      whole.apply(entry);
      return toKeptMessages(entry, whole);
    });
    const lean = await foldLean(entries);
    const view = await lean.toViewBehind(after);
    const told: unknown[] = [];
    for await (const entry of lean.read(view.length + 1)) {
      if (isRewind(entry)) await view.recall(entry.to);
      view.apply(entry);
      view.letGo(entry.n, 0);
      if (entry.n > after) told.push(...toKeptMessages(entry, view));
    }
    expect(told).toEqual(messages.filter(({ n = 0 }) => n > after));
  }

  it('tells a reader who knows some messages the ones behind them', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), (entries, chosen) =>
        expectBehind(entries, chosen % (entries.length + 1)),
      ),
      { numRuns: 30 },
    );
  });

  it('tells such a reader of prompts, too, that waited while the turn ran which he knows', async () => {
    const waited = [prompt('p1'), turn('p1'), prompt('p2'), prompt('p3'), result];
    const turns = [turn('p2'), result, turn('p3'), prompt('p4'), result, turn('p4')];
    const entries = toEntries(session, opened, ...waited, ...turns);
    for (let after = 0; after <= entries.length; after += 1) await expectBehind(entries, after);
  });

  it('keeps the open turn, whatever has landed, and all where it has no source', async () => {
    const entries = toEntries(session, opened, prompt('p1'), turn('p1'), request(1));
    const lean = await foldLean(entries);
    expect(lean.entries.map(({ n }) => n)).toEqual([4, 5]);
    const whole = foldEntries(entries);
    whole.letGo(5, 0);
    expect(whole.entries).toHaveLength(5);
  });

  it('knows all that was ever used', async () => {
    const used = {
      type: 'usage',
      requestId: 'm',
      purpose: 'turn',
      model: 'claude-test',
      usage: { input_tokens: 10, output_tokens: 1 },
      apiMs: 1,
    } as const;
    const records = [session, opened, prompt('p1'), turn('p1'), used, used, result];
    const lean = await foldLean(toEntries(...(records as JournalRecord[])));
    const usage = createUsageMeter({ basis: 'list', find: () => undefined });
    restoreUsage({ journal: { fold: lean }, usage } as unknown as Session);
    expect(usage.modelUsage()['claude-test']).toMatchObject({ inputTokens: 20 });
  });

  it('knows what was refused to agents since the last result, however many entries came after', async () => {
    const denial = { tool_name: 'Write', tool_use_id: 'c1', tool_input: {}, agent_id: 'a1' };
    if (result.type !== 'result') throw new TypeError('The support has another result.');
    const message = { ...result.message, permission_denials: [denial] };
    const ended = { ...result, agent: 'a1', message };
    const before = [session, opened, prompt('p1'), turn('p1'), result, ended];
    const lean = await foldLean(toEntries(...before, prompt('p2'), turn('p2'), request(1)));
    expect(lean.entries.map(({ n }) => n)).toEqual([8, 9]);
    expect(lean.agentDenials).toEqual([denial]);
    expect((await foldLean(toEntries(...before, result))).agentDenials).toEqual([]);
  });

  it.each([
    ['as it was counted back then', 20, 9_005],
    ['by an estimate, where that was let go', 3, 0],
  ])('measures its conversation after a rewind %s', async (_, atHand, counted) => {
    const records = [session, opened];
    for (let step = 1; step <= 10; step += 1) {
      const usage = { input_tokens: 1_000 * step, output_tokens: 5 };
      records.push(prompt(`p${step}`), turn(`p${step}`), request(step), reply(step, [say('Yes.')]));
      records.push({ type: 'usage', purpose: 'turn', usage } as JournalRecord, result);
    }
    // To before the last prompt.
    const to = records.length - 6;
    records.push({ type: 'rewound', to }, prompt('again'), turn('again'));
    const lean = await foldLean(toEntries(...records), atHand);
    expect(lean.entries.length).toBeLessThan(to);
    const size = measureContext(lean);
    expect(size).toBeGreaterThan(counted);
    expect(size).toBeLessThan(counted + 1_000);
  });

  it('takes a prompt along to a new session that was sent long before /clear was done', async () => {
    const host = await quickHost();
    const asked = [prompt('p1'), turn('p1'), request(1), prompt('p2', '/clear'), prompt('p3')];
    const ended = [reply(1, [say('Done.')]), result, turn('p2')];
    const moved = { type: 'moved', to: 'new', prompts: ['p3'], mode: 'default' } as const;
    const lean = await foldLean(toEntries(session, opened, ...asked, ...ended, moved));
    expect(lean.entries.map(({ type }) => type)).toEqual(['turn', 'moved']);
    await completeClear(host, lean);
    expect((await loadJournal(host.workspace, 'new')).waiting).toMatchObject([prompt('p3')]);
  });

  it('refuses a rewind whose way was not recalled', async () => {
    const entries = toEntries(session, opened, prompt('p1'), turn('p1'), result);
    const lean = await foldLean(entries);
    const rewound = { type: 'rewound', to: 2, n: 6, time: 9 } as const;
    expect(() => lean.apply(rewound)).toThrow(TypeError);
  });
});

it('lets go of an app’s calls that have ended when it makes the next, as no request may come', () => {
  const app = (id: string) => ({ ...call(id), parent: 'a', origin: 'app' }) as const;
  const fold = foldEntries(
    toEntries(session, opened, app('one'), app('two'), settled('one'), app('three')),
  );
  expect([...fold.calls.keys()].filter((id) => id !== 'a')).toEqual(['two', 'three']);
});
