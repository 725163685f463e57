// All that differs from one run of the same cells to the next comes by ports. So what they gave can
// be recorded, and a session run again, value for value.
import { describe, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import type { ReplSessionOptions } from '../../../src/repl/session/session.ts';
import { openRepl } from '../../support/repl/repl.ts';

const network = { hosts: ['a.net'] };

const cells = [
  `const seen = [Date.now(), new Date().toISOString(), performance.now(), process.hrtime.bigint()];
   seen.push(Math.random(), Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)));
   seen`,
  `const { randomInt, randomBytes } = require('crypto');
   [randomInt(1000), randomBytes(3), Array.from({ length: 5 }, () => Math.floor(Math.random() * 100))]`,
  `console.time('t'); let ticks = 0;
   const every = setInterval(() => { ticks += 1 }, 2);
   await new Promise((done) => setTimeout(done, 9));
   clearInterval(every); console.timeEnd('t');
   [ticks, Date.now() - seen[0]]`,
  `const answer = await (await fetch('https://a.net/' + Math.random())).json(); [answer.at, Date.now()]`,
];

/** What a session was given, in the order in which it asked. */
interface Recording {
  readonly times: number[];
  readonly bytes: Uint8Array[];
  readonly answers: Map<string, string>;
}

function record(into: Recording): Partial<ReplSessionOptions> {
  let asked = 0;
  return {
    guestNow: () => {
      const time = Date.now() + Math.random();
      into.times.push(time);
      return time;
    },
    randomBytes: (length) => {
      const bytes = crypto.getRandomValues(new Uint8Array(length));
      into.bytes.push(bytes);
      return bytes;
    },
    network: createServerFetch(async (url) => {
      asked += 1;
      into.answers.set(url, JSON.stringify({ at: asked + Math.random() }));
      return new Response(into.answers.get(url));
    }),
  };
}

function replay(recording: Recording): Partial<ReplSessionOptions> {
  const times = [...recording.times];
  const bytes = [...recording.bytes];
  const next = <T>(list: T[]): T => {
    const value = list.shift();
    if (value === undefined) throw new Error('The second run asked for more than the first.');
    return value;
  };
  return {
    guestNow: () => next(times),
    randomBytes: () => next(bytes),
    // Nothing is waited for: the recorded clock says what time it is.
    sleep: () => Promise.resolve(),
    network: createServerFetch(async (url) => new Response(recording.answers.get(url))),
  };
}

async function runAll(options: Partial<ReplSessionOptions>): Promise<unknown[]> {
  const repl = await openRepl({}, options);
  const results = [];
  for (const code of cells) {
    const { display: result, stdout, stderr, error } = await repl.run(code, { network });
    results.push({ result, stdout, stderr, error });
  }
  return results;
}

describe('a recorded session', () => {
  it('runs again with the same values', async () => {
    // The engine of these tests boots once, which asks for the time: not in one of the two runs.
    await (await openRepl()).run('1');
    const recording: Recording = { times: [], bytes: [], answers: new Map() };
    const first = await runAll(record(recording));
    expect(first).not.toContainEqual(
      expect.objectContaining({ error: expect.anything() as unknown }),
    );
    expect(await runAll(replay(recording))).toEqual(first);
    const other: Recording = { times: [], bytes: [], answers: new Map() };
    expect(await runAll(record(other))).not.toEqual(first);
  });
});

describe('randomness', () => {
  it('is all of one source, so that a seed decides it', async () => {
    const seeded = (seed: number) => {
      let state = seed;
      return (length: number) =>
        Uint8Array.from(
          { length },
          () => (state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff) >>> 16,
        );
    };
    const draw = async (seed: number) => {
      const repl = await openRepl({}, { randomBytes: seeded(seed) });
      return repl.value('[Math.random(), crypto.randomUUID()]');
    };
    expect(await draw(1)).toBe(await draw(1));
    expect(await draw(1)).not.toBe(await draw(2));
  });

  it('spreads evenly from 0 to 1', async () => {
    const of = async (byte: number) => {
      const repl = await openRepl(
        {},
        { randomBytes: (length) => new Uint8Array(length).fill(byte) },
      );
      return Number(await repl.value('Math.random()'));
    };
    expect(await of(0)).toBe(0);
    expect(await of(255)).toBe(1 - 2 ** -53);
    expect(await of(128)).toBeCloseTo(128 / 255, 2);
  });

  it('makes UUIDs of version 4', async () => {
    const repl = await openRepl({}, { randomBytes: (length) => new Uint8Array(length).fill(255) });
    expect(await repl.value('crypto.randomUUID()')).toBe("'ffffffff-ffff-4fff-bfff-ffffffffffff'");
  });
});
