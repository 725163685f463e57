import { describe, expect, test } from 'vitest';
import type { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { toKeptMessages } from '../../../../src/agent/journal/kept-messages.ts';
import { planResume } from '../../../../src/agent/journal/resume.ts';
import type { CallPlan, ResumeTraits, TurnPlan } from '../../../../src/agent/journal/resume.ts';
import type {
  JournalRecord,
  QuestionRecord,
  SettledRecord,
  TaskRecord,
} from '../../../../src/core/session/journal.ts';
import {
  append,
  block,
  call,
  findFault,
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
  toMessage,
  turn,
  asks,
} from '../../../support/sessions/journals.ts';
import { createRandom } from '../../../support/random.ts';

const traits = (rest: Partial<ResumeTraits> = {}): ResumeTraits => ({
  isReadOnly: false,
  isOpenWorld: false,
  resumesItself: false,
  ...rest,
});
const task: TaskRecord = {
  type: 'task',
  id: 'task-1',
  callId: 'a',
  status: 'running',
  taskType: 'local_bash',
  description: 'count <all>',
  outputPath: '/session/s/tasks/1',
};
const begin = [session, opened, prompt('p1'), turn('p1'), request(1)];
const plan = (records: readonly JournalRecord[], of: ResumeTraits | undefined = traits()) =>
  planResume(foldEntries(toEntries(...records)), () => of);
const planTurn = (records: readonly JournalRecord[], of?: ResumeTraits): TurnPlan => {
  const found = plan(records, of).turn;
  if (!found) throw new Error('No turn is open.');
  return found;
};
/** In a word each, for tables. */
const words = (calls: readonly CallPlan[]) =>
  calls.map((one) => ('attempt' in one ? `${one.type} ${one.attempt}` : one.type));

describe('a turn that was cut', () => {
  test('sends its request when none was sent, and again when nothing of its reply is whole', () => {
    for (const records of [begin.slice(0, 4), begin]) {
      const { message, calls, broken, ending } = planTurn(records);
      expect({ message, calls, broken, ending }).toEqual({ calls: [] });
    }
  });

  test('has no use for a broken reply without a call: it is void, and viewers are told', () => {
    const fold = foldEntries(toEntries(...begin, block(1, 0, say('I think'))));
    const { broken, message } = planResume(fold, () => traits()).turn ?? {};
    expect(broken).toMatchObject({ step: 1, end: 'void', message: { content: [] } });
    expect(message).toBeUndefined();
    append(fold, broken as JournalRecord, request(2), reply(2, [say('Done.')]));
    const [told] = toKeptMessages(fold.entries.at(-1) ?? never(), fold);
    expect(told).toMatchObject({ type: 'assistant', supersedes: [broken?.uuid] });
    expect(fold.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  test('keeps of a broken reply its blocks up to the last call, in their order', () => {
    const blocks = [say('First'), asks('a'), say('then'), asks('b'), say('and')];
    const records = blocks.map((whole, index) => block(1, index, whole));
    const { broken, calls } = planTurn([...begin, ...records.reverse()]);
    expect(broken?.end).toBe('cut');
    expect(broken?.message.content).toEqual(blocks.slice(0, 4));
    expect(words(calls)).toEqual(['run 1', 'run 1']);
  });

  test('knows which input was no JSON object', () => {
    const wrong = { ...block(1, 0, asks('a')), inputError: 'No JSON.' } as JournalRecord;
    for (const records of [[wrong], [wrong, reply(1, [asks('a')])]]) {
      const [only] = planTurn([...begin, ...records]).calls;
      expect(only).toMatchObject({ toolUse: { inputError: 'No JSON.', index: 0 } });
    }
  });

  test('is over with a reply that asks for nothing, with its results, or when it was refused', () => {
    const done = reply(1, [say('Done.')]);
    expect(planTurn([...begin, done]).message).toEqual(toMessage(say('Done.')));
    const withCall = [...begin, reply(1, [asks('a')]), call('a'), settled('a'), results(1, 'a')];
    expect(planTurn(withCall)).toMatchObject({ message: toMessage(asks('a')), calls: [] });
    const blocked = { type: 'turn', prompt: 'p1', isBlocked: true } as const;
    expect(planTurn([session, opened, prompt('p1'), blocked]).ending).toBe('blocked');
    expect(planTurn([...begin, reply(1, [say('Do')], 'cut')]).ending).toBe('stopped');
  });

  test('stops where a person refused a call and the turn: what had not begun never does', () => {
    const denial = { reason: { type: 'user' }, message: 'No.', interrupt: true } as const;
    const records = [reply(1, [asks('a'), asks('b')]), settled('a', { denial })];
    const { ending, calls } = planTurn([...begin, ...records]);
    expect(ending).toBe('stopped');
    expect(words(calls)).toEqual(['kept', 'interrupted']);
  });
});

describe('a turn that a person had stopped', () => {
  const stopped = { type: 'stopped' } as const;

  test('is over, wherever it was: nothing of it begins, and nobody is asked', () => {
    const openings = Array.from({ length: 4 }, () => opened);
    const calling = reply(1, [asks('a'), asks('b')]);
    for (const [records, ...wanted] of [
      [begin.slice(0, 4)],
      [begin],
      [[...begin, block(1, 0, asks('a'))], 'interrupted'],
      [[...begin, calling, call('a'), settled('b')], 'interrupted', 'kept'],
      [[...begin, calling, settled('a'), settled('b'), results(1, 'a', 'b')]],
    ] as const) {
      const { ending, calls, asksFirst } = planTurn([...records, stopped, ...openings]);
      expect({ ending, asksFirst, calls: words(calls) }).toEqual({
        ending: 'stopped',
        asksFirst: false,
        calls: wanted,
      });
    }
  });

  test('is no less answered where it had its answer', () => {
    const { ending, message } = planTurn([...begin, reply(1, [say('Done.')]), stopped]);
    expect({ ending, message }).toEqual({ message: toMessage(say('Done.')) });
  });

  test('is not the next one', () => {
    const next = [prompt('p2'), turn('p2'), request(2)];
    const ended = { type: 'result', message: {} } as never;
    const records = [...begin, reply(1, [asks('a')]), stopped, ended, stopped, ...next];
    expect(planTurn(records).ending).toBeUndefined();
  });
});

describe('a call that was cut', () => {
  const started = (rest = {}) => [...begin, reply(1, [asks('a')]), call('a', rest)];
  const nested = [...started(), call('a/1', { parent: 'a', tool: 'Write' })];
  const reads = traits({ isReadOnly: true });
  test.each<[string, readonly JournalRecord[], ResumeTraits | undefined, string]>([
    ['with a result', [...started(), settled('a')], traits(), 'kept'],
    ['never begun', [...begin, reply(1, [asks('a')])], traits(), 'run 1'],
    ['in a worker, its effects in its draft', started(), traits(), 'run 2'],
    ['not repeatable', started({ repeatable: false }), traits(), 'interrupted'],
    ['not repeatable, but it only reads', started({ repeatable: false }), reads, 'run 2'],
    [
      'not repeatable, and it reads from outside',
      started({ repeatable: false }),
      traits({ isReadOnly: true, isOpenWorld: true }),
      'interrupted',
    ],
    ['for the second time', started({ attempt: 2 }), reads, 'interrupted'],
    ['after it had called another', nested, reads, 'interrupted'],
    ['after it had started a task', [...started(), task], reads, 'interrupted'],
    ['of a tool that resumes itself', nested, traits({ resumesItself: true }), 'resume 2'],
    ['of a tool that is gone', started(), undefined, 'interrupted'],
  ])('%s', (_, records, of, wanted) => {
    const fold = foldEntries(toEntries(...records));
    expect(words(planResume(fold, () => of).turn?.calls ?? [])).toEqual([wanted]);
  });

  test('tells the model what may have happened, and settles what it had called first', () => {
    const [only] = planTurn([...nested, call('a/2', { parent: 'a' }), settled('a/2')]).calls;
    const texts = (only as Extract<CallPlan, { type: 'interrupted' }>).settled.map(
      ({ id, parent, result }) => ({
        id,
        parent,
        text: result.content,
      }),
    );
    const advice =
      'It may have done a part of its work: check how things stand before you do it again.';
    expect(texts).toEqual([
      {
        id: 'a/1',
        parent: 'a',
        text: `Write was interrupted: the session was cut off while it ran. ${advice}`,
      },
      { id: 'a', text: `Edit was interrupted: the session was cut off while it ran. ${advice}` },
    ]);
  });
});

describe('a session that was cut', () => {
  test('asks a person at the fourth loss without progress, void replies being none', () => {
    const resumed: JournalRecord = { ...opened, why: 'resume' } as JournalRecord;
    const again = (step: number) => [resumed, reply(step, [], 'void'), request(step + 1)];
    // A session that was at rest wasn't lost, however often it was opened.
    const atRest = [session, opened, resumed, resumed, resumed];
    const third = [...atRest, ...begin.slice(2), ...again(1), ...again(2), ...again(3)];
    expect(planTurn(third).asksFirst).toBe(false);
    expect(planTurn([...third, resumed]).asksFirst).toBe(true);
    const fold = foldEntries(toEntries(...third, reply(4, [asks('a')]), call('a'), resumed));
    expect(planResume(fold, () => traits()).turn?.asksFirst).toBe(false);
    const { ending, calls } = planResume(fold, () => traits(), true).turn ?? never();
    expect({ ending, calls: words(calls) }).toEqual({ ending: 'stopped', calls: ['interrupted'] });
  });

  test('ends the calls of apps that nobody waits for any more, once', () => {
    const open = { ...call('app-1'), parent: 'a', origin: 'app' } as const;
    const { apps } = plan([...begin, open]);
    expect(apps).toMatchObject([{ type: 'settled', id: 'app-1', state: 'output-error' }]);
    expect(plan([...begin, open, ...apps]).apps).toEqual([]);
  });

  test('starts what was said meanwhile, and tells how its tasks ended', () => {
    const done: TaskRecord = { ...task, id: 'task-2', status: 'completed' };
    const made = plan([
      session,
      opened,
      task,
      done,
      prompt('p1'),
      turn('p1'),
      result,
      prompt('p2'),
    ]);
    expect(made.turn).toBeUndefined();
    expect(made.prompts.map(({ uuid }) => uuid)).toEqual(['p2']);
    expect(
      made.tasks.map(({ task: { id, status, summary } }) => ({ id, status, summary })),
    ).toEqual([
      {
        id: 'task-1',
        status: 'stopped',
        summary:
          'The task in the background (count <all>) was interrupted: the session was cut off while it ran. It may have done a part of its work: check how things stand before you do it again.',
      },
    ]);
    expect(JSON.stringify(made.tasks[0]?.task.notification)).toContain('count &lt;all&gt;');
  });
});

describe('every prefix of a journal', () => {
  test.each(Array.from({ length: 40 }, (_, index) => index + 1))(
    'leads to a conversation that the API takes (seed %i)',
    (seed) => {
      const entries = toEntries(...writeJournal(seed));
      for (let cut = 4; cut <= entries.length; cut += 1) {
        const fold = foldEntries(entries.slice(0, cut));
        const ran = new Set(
          [...fold.calls.values()].flatMap(({ id, settled: end }) => (end ? id : [])),
        );
        // Killed once more after each of its own records, it still comes to the same end.
        for (let kills = 0; kills < 3; kills += 1) {
          const again = foldEntries(fold.entries);
          carryOut(again, ran, kills + 1);
          expect({ seed, cut, fault: findFault(again.messages) }).toEqual({ seed, cut });
          const ends = again.entries.filter(({ type }) => type === 'settled');
          const ids = ends.map((one) => (one as SettledRecord).id);
          expect(new Set(ids).size).toBe(ids.length);
        }
        carryOut(fold, ran);
        expect({ seed, cut, fault: findFault(fold.messages) }).toEqual({ seed, cut });
      }
    },
  );
});

/** Carries a plan out up to the next request, or until `atMost` records are made and it is killed, and again. */
function carryOut(fold: SessionFold, ran: ReadonlySet<string>, atMost = Infinity): void {
  let left = atMost;
  const put = (record: JournalRecord): boolean => {
    append(fold, record);
    left -= 1;
    return left > 0;
  };
  const { turn: open, tasks } = planResume(fold, ({ tool }) =>
    traits({ isReadOnly: tool === 'Read' }),
  );
  if (!open) {
    append(fold, prompt('next'), turn('next'));
    return;
  }
  const step = open.open.newest?.request.step ?? 0;
  const goOn = () => carryOut(fold, ran);
  if (open.broken && !put(open.broken)) return goOn();
  const ends: SettledRecord[] = [];
  for (const one of open.calls) {
    if (one.type === 'kept') ends.push(one.settled);
    else if (one.type === 'interrupted') {
      for (const end of one.settled) if (!put(end)) return goOn();
      ends.push(one.settled.at(-1) ?? never());
    } else {
      const { id, name } = one.toolUse;
      expect(ran.has(id)).toBe(false);
      if (!put(call(id, { tool: name, attempt: one.attempt }))) return goOn();
      const end = settled(id, { tool: name });
      if (!put(end)) return goOn();
      ends.push(end);
    }
  }
  if (ends.length > 0) {
    append(fold, {
      type: 'results',
      step,
      message: { role: 'user', content: ends.map((end) => end.result) },
    });
  }
  for (const { task } of tasks) append(fold, task);
  const calls = open.message?.content.some(({ type }) => type === 'tool_use') ?? false;
  const isOver = open.ending !== undefined || (open.message && !calls);
  // What comes next, a prompt after the turn's end or the request, needs a valid conversation.
  if (isOver) append(fold, result, prompt('next'), turn('next'));
}

/** Some turns, each of some requests with some calls: what a live session writes. */
function writeJournal(seed: number): JournalRecord[] {
  const random = createRandom(seed);
  const records: JournalRecord[] = [session, opened];
  let step = 0;
  let calls = 0;
  for (let at = 0; at < 3; at += 1) {
    records.push(prompt(`p${at}`), turn(`p${at}`));
    for (let requests = random.below(3); requests >= 0; requests -= 1) {
      step += 1;
      records.push(request(step));
      const isLast = requests === 0;
      const content = [say(random.chance(0.2) ? ' ' : 'Text')];
      const ids: string[] = [];
      const between: JournalRecord[] = [];
      if (!isLast) {
        for (let count = 1 + random.below(3); count > 0; count -= 1) {
          calls += 1;
          const id = `call-${calls}`;
          const tool = random.pick(['Read', 'Edit', 'Fetch']);
          content.push(asks(id, tool));
          if (random.chance(0.3)) content.push(say('and'));
          ids.push(id);
          if (random.chance(0.2)) between.push(question(id), answer(id));
          between.push(call(id, { tool, repeatable: tool === 'Edit' }));
          if (random.chance(0.2)) {
            between.push(call(`${id}/1`, { parent: id }), settled(`${id}/1`, { parent: id }));
          }
          between.push(settled(id, { tool }));
        }
      } else content.push(say('Done.'));
      records.push(...content.map((whole, index) => block(step, index, whole)));
      // Calls begin while the reply still streams.
      const early = random.below(between.length + 1);
      records.push(...between.slice(0, early), reply(step, content), ...between.slice(early));
      if (!isLast) records.push(results(step, ...ids));
    }
    records.push(result);
  }
  return records;
}

function question(callId: string): QuestionRecord {
  const asked = { toolName: 'Edit', input: {}, toolUseID: callId };
  return { type: 'question', requestId: `ask ${callId}`, callId, question: asked };
}

function answer(callId: string): JournalRecord {
  return { type: 'answer', requestId: `ask ${callId}`, result: { behavior: 'allow' } };
}

function never(): never {
  throw new Error('Not there.');
}
