// A Durable Object loses its instance while its session runs: by SIGKILL, by ctx.abort(), by new code. No request comes
// afterwards, and the session comes to the same end by its alarms. KILLS=60 (or any number) makes it a slow lane.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { waysToLose } from '../../support/edge/lost-instances.ts';
import { findFaults } from '../../support/kills/killed-conversation.ts';
import type { Ending } from '../../support/kills/killed-conversation.ts';
import { createRandom } from '../../support/random.ts';

const losses = inject('objectLosses');

let workerd: KillableWorkerd;
const moved = new Map<string, number>();
let asked: string[] = [];
let requests = 0;
/** How often each was told. */
const told = new Map<string, number>();
/** Called with what the object tells. */
let onTold = (_what: string) => {};

beforeAll(async () => {
  workerd = await buildKillableWorkerd({ main: 'test/support/kills/woken-session-main.ts', hear });
  await workerd.start({ VERSION: '1' });
});

afterAll(() => workerd.close());

function hear(path: string): void {
  const [, what = '', which = ''] = path.split('/');
  if (what === 'moved') moved.set(which, (moved.get(which) ?? 0) + 1);
  if (what === 'asked') asked.push(which);
  if (what === 'request') requests += 1;
  told.set(what, (told.get(what) ?? 0) + 1);
  onTold(what);
}

/** Resolves when it is told for the `count`th time. */
function whenTold(wanted: string, count = 1): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    onTold = (what) => {
      if (what !== wanted) return;
      left -= 1;
      if (left > 0) return;
      onTold = () => {};
      resolve();
    };
  });
}

/** Counts from now on. */
function countTold(wanted: string): () => number {
  const before = told.get(wanted) ?? 0;
  return () => (told.get(wanted) ?? 0) - before;
}

/** What is said, and when: the second part when the first one has been answered. */
const parts = ['send/0,1,2,3,4', 'rewind/5,6'];

/** Says one part. Rejects where its instance is lost meanwhile. */
const say = (name: string, part: number) => workerd.fetch(`${name}/${parts[part]}`);

async function readEnding(name: string): Promise<Ending> {
  return JSON.parse(await workerd.fetch(`${name}/ending`)) as Ending;
}

/** The session was opened anew between a question and its answer. */
function wasLostBeforeAnswer({ entries }: Ending, requestId: string): boolean {
  const about = (type: 'question' | 'answer') =>
    entries.findIndex((entry) => entry.type === type && entry.requestId === requestId);
  const between = entries.slice(about('question'), about('answer'));
  return between.some(({ type }) => type === 'opened');
}

const ways = waysToLose(() => workerd);

/** Plays a part, loses the instance when it has written so often, and sends no request from then on. */
async function loseIn(name: string, part: number, writes: number, way: keyof typeof ways) {
  const lost = whenTold('wrote', writes);
  // Where it is lost before all is said, that is said again: a prompt is known by its uuid.
  const said = say(name, part).then(
    () => true,
    () => false,
  );
  await lost;
  await ways[way](name);
  if (!(await said)) await say(name, part);
  await whenTold('asleep');
}

describe('a session object that loses its instance', () => {
  it(
    'goes on by its alarm alone, to the end of one that was left in peace',
    { timeout: 600_000 + losses * 60_000 },
    async () => {
      const random = createRandom(22);
      const counts = [];
      for (const part of [0, 1]) {
        const writes = countTold('wrote');
        await say('reference', part);
        await whenTold('asleep');
        counts.push(writes());
      }
      const reference = await readEnding('reference');
      const wanted = requests;
      const faults: unknown[] = [];
      for (let round = 0; round < losses; round += 1) {
        const name = `round-${round}`;
        moved.clear();
        asked = [];
        requests = 0;
        const part = random.below(2);
        const writes = 1 + random.below((counts[part] ?? 0) - 10);
        const way = (Object.keys(ways) as (keyof typeof ways)[])[round % 3] ?? 'abort';
        if (part === 1) {
          await say(name, 0);
          await whenTold('asleep');
        }
        await loseIn(name, part, writes, way);
        if (part === 0) {
          await say(name, 1);
          await whenTold('asleep');
        }
        const ending = await readEnding(name);
        // Who was asked twice is this test's to judge: a session that sleeps is opened often.
        const fault = findFaults(ending, reference, { moved, asked: [] });
        const again = asked.filter((id) => asked.indexOf(id) !== asked.lastIndexOf(id));
        const answered = again.filter((id) => !wasLostBeforeAnswer(ending, id));
        const extra = {
          ...(requests > wanted + 1 && { requests, wanted }),
          ...(answered.length > 0 && { answered }),
        };
        if (fault || Object.keys(extra).length > 0) {
          faults.push({ round, way, part, writes, ...fault, ...extra });
        }
      }
      expect(faults).toEqual([]);
    },
  );
});

/** What the request gives, once the object sleeps that it has woken. */
async function untilAsleep(path: string): Promise<string> {
  const asleep = whenTold('asleep');
  const text = await workerd.fetch(path);
  await asleep;
  return text;
}

/** The one question that waits. Looking at it wakes the object for a moment. */
async function readQuestion(name: string): Promise<{ requestId: string; toolName: string }> {
  const questions = JSON.parse(await untilAsleep(`${name}/questions`)) as {
    requestId: string;
    toolName: string;
  }[];
  expect(questions).toHaveLength(1);
  return questions[0] as (typeof questions)[number];
}

const instanceOf = (name: string) => workerd.fetch(`${name}/instance`);

describe('the objects of this file', () => {
  it('have the limits of production, and what computes for long ends by counts', async () => {
    const probed: unknown = JSON.parse(await workerd.fetch('limits-1/limits'));
    expect(probed).toEqual({
      sum: true,
      moved: [0, 0, 0],
      bound: 'too many SQL variables: SQLITE_ERROR',
      row: 'string or blob too big: SQLITE_TOOBIG',
      text: 'string or blob too big: SQLITE_TOOBIG',
      rows: [
        'done',
        'string or blob too big: SQLITE_TOOBIG',
        'done',
        'string or blob too big: SQLITE_TOOBIG',
        'string or blob too big: SQLITE_TOOBIG',
      ],
      rpc: expect.stringContaining('limited to 32MiB') as unknown,
      connections: 'A seventh connection would wait for ever.',
      subrequests: 'Too many subrequests.',
      bucket: 'done',
      cell: expect.stringContaining('"timedOutAfterMs":200') as unknown,
      search: expect.stringContaining(
        'The search took longer than 0.2 s and was stopped.',
      ) as unknown,
    });
  });
});

describe('a session object whose question is open', () => {
  it('sleeps until a person answers, whichever instance is asked', async () => {
    const name = 'person-1';
    await untilAsleep(`${name}/send/0`);
    const first = await readQuestion(name);
    expect(first.toolName).toBe('Write');
    const before = await instanceOf(name);
    await ways.abort(name);
    expect(await instanceOf(name)).not.toBe(before);
    // Opened anew it puts the question again under the same id, and sleeps again.
    await untilAsleep(`${name}/questions`);
    expect((await readQuestion(name)).requestId).toBe(first.requestId);
    requests = 0;
    await untilAsleep(`${name}/answer/${first.requestId}`);
    const second = await readQuestion(name);
    expect([second.toolName, requests]).toEqual(['Edit', 1]);
    await ways.SIGKILL();
    await untilAsleep(`${name}/answer/${second.requestId}`);
    const { entries } = await readEnding(name);
    expect(entries.at(-1)?.type).toBe('result');
    expect(entries.flatMap((entry) => (entry.type === 'question' ? entry.requestId : []))).toEqual([
      first.requestId,
      second.requestId,
    ]);
    // Nothing was lost: it was asleep whenever its instance went.
    const openings = entries.flatMap((entry) => (entry.type === 'opened' ? entry.why : []));
    expect(new Set(openings)).toEqual(new Set(['start', 'woken']));
  });
});

// Nobody may look at it meanwhile, so this is a matter of time: the runtime lets an idle object go after 10 to 25 s.
it.runIf(losses > 5)(
  'a session object whose question is open is evicted by itself, and answered in a new instance',
  { timeout: 600_000 },
  async () => {
    const name = 'person-2';
    await untilAsleep(`${name}/send/0`);
    const { requestId } = await readQuestion(name);
    const before = await instanceOf(name);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    expect(await instanceOf(name)).not.toBe(before);
    await untilAsleep(`${name}/answer/${requestId}`);
    expect((await readQuestion(name)).toolName).toBe('Edit');
  },
);

describe('a session object that comes no further', () => {
  it('asks a person at the fourth loss, and calls no model meanwhile', async () => {
    const name = 'dies-1';
    requests = 0;
    const asleep = whenTold('asleep');
    await workerd.fetch(`${name}/send/0`).catch(() => undefined);
    await asleep;
    expect(requests).toBe(4);
    const question = await readQuestion(name);
    expect(question.toolName).toBe('Resume');
    await untilAsleep(`${name}/answer/no-${question.requestId}`);
    const { entries } = await readEnding(name);
    expect([entries.at(-1)?.type, requests]).toEqual(['result', 4]);
  });

  // Each deploy takes seconds.
  it.runIf(losses > 5)('counts no deploy: one at every step, and it ends', async () => {
    const name = 'deployed-1';
    let ended = false;
    const asleep = new Promise<void>((resolve) => {
      onTold = (what) => {
        if (what === 'asleep') resolve();
        if (what === 'request') whenRequested();
      };
    });
    let whenRequested = () => {};
    const deploys = (async () => {
      for (let count = 0; !ended; count += 1) {
        await new Promise<void>((resolve) => (whenRequested = resolve));
        // One that comes before there is any progress, and five of them: tabs would ask.
        if (count < 5 || count % 2 === 0) await ways['new code']();
      }
    })();
    await workerd.fetch(`${name}/send/0`).catch(() => undefined);
    await asleep;
    ended = true;
    whenRequested();
    await deploys;
    const { entries } = await readEnding(name);
    expect(entries.at(-1)).toMatchObject({ type: 'result' });
    expect(entries.filter(({ type }) => type === 'question')).toHaveLength(2);
  });
});
