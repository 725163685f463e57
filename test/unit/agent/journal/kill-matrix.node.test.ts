// A session that is killed after any entry of its journal comes to the same end when it is opened again.
// A page that is killed leaves what its medium and the world had before the next entry: both are remembered while
// one is played. One that is killed several times is a medium that freezes. The conversation: killed-conversation.ts.
// The ordinary run kills after each 32nd of the entries, and in a row in some; KILLS=20 (or any number) after all.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { isCompactionPrompt } from '../../../../src/core/messages/compaction-messages.ts';
import type { CallRecord, JournalEntry } from '../../../../src/core/session/journal.ts';
import type { Model } from '../../../../src/model/model.ts';
import {
  answerBy,
  findFaults,
  killedCallCount,
  killedModel,
  killedPrompts,
  killedRewind,
  listKilledTools,
  readTranscript,
} from '../../../support/kills/killed-conversation.ts';
import type { Ending, Seen } from '../../../support/kills/killed-conversation.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import type { Disk, Played, PlayOptions } from '../../../support/sessions/kept-session.ts';
import { createRandom } from '../../../support/random.ts';
import { createRecordedMedium } from '../../../support/storage/recorded-medium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How many sessions are killed again while they are taken up: vitest.config.ts. */
    cutsInARow: number;
    /** Of all places each one of so many is a kill: vitest.config.ts. */
    cutStride: number;
  }
}

/** What lies outside of the pages, and outlives them. */
class World implements Seen {
  readonly moved: Map<string, number>;
  /** A page that is killed may still show some: those of each page are apart. */
  asked: string[] = [];
  /** How often a summary was asked for. */
  summaries: number;

  /** As another one is now. */
  constructor(
    { moved, summaries }: Pick<World, 'moved' | 'summaries'> = { moved: new Map(), summaries: 0 },
  ) {
    this.moved = new Map(moved);
    this.summaries = summaries;
  }

  readonly model: Model = {
    ...killedModel,
    stream: (request, options) => {
      if (isCompactionPrompt(request.messages.at(-1))) this.summaries += 1;
      return killedModel.stream(request, options);
    },
  };

  open(): {
    readonly model: Model;
    readonly tools: never;
    readonly canUseTool: ReturnType<typeof answerBy>;
  } {
    const asked: string[] = [];
    this.asked = asked;
    const move = (id: string) => this.moved.set(id, (this.moved.get(id) ?? 0) + 1);
    const tools = listKilledTools({ move }) as never;
    const canUseTool = answerBy({ ask: (requestId) => asked.push(requestId) });
    return { model: this.model, tools, canUseTool };
  }
}

function play(
  disk: Disk,
  world: World,
  freezing: Pick<PlayOptions, 'freezeAfter' | 'beforeLanding'> = {},
): Promise<Played> {
  return playSession(disk, {
    prompts: killedPrompts,
    rewind: killedRewind,
    ...freezing,
    ...world.open(),
    loadWasm,
  });
}

async function toEnding({ entries, fold, files }: Played): Promise<Ending> {
  return { entries, messages: fold.messages, files: await files() };
}

// Compiled once for all pages.
let wasm: Promise<WebAssembly.Module> | undefined;
const loadWasm = () => (wasm ??= loadQuickjsWasm());

/** What a page leaves that is killed: how often its medium was written to, and the world. */
interface Left {
  readonly writes: number;
  readonly world: World;
}

const disk = createRecordedMedium();
/** By its last entry. */
const left = new Map<number, Left>();
let reference: Played;
let wanted: Ending;

beforeAll(async () => {
  const world = new World();
  const beforeLanding = (last: number) =>
    left.set(last, { writes: disk.count(), world: new World(world) });
  reference = await play(disk, world, { beforeLanding });
  wanted = await toEnding(reference);
});

describe('a session that is killed', () => {
  test('has a reference that was not: 7 turns, 25 calls, a compaction, a rewind', () => {
    const calls = reference.entries.filter(
      (entry): entry is CallRecord & JournalEntry =>
        entry.type === 'call' && entry.origin === 'model',
    );
    const ends = reference.entries.filter(({ type }) => type === 'result');
    expect(killedCallCount).toBe(25);
    expect({ turns: ends.length, calls: calls.length }).toEqual({ turns: 7, calls: 24 });
    const { results } = readTranscript(wanted);
    expect(results['call-6-1-0']).toMatch(/^=> \[ 'from a cell', 13, 0\.\d+ \]$/u);
    expect(wanted.files).toEqual({
      '/workspace/a.txt': 'three\n',
      '/workspace/b.txt': 'bb\n',
      '/workspace/c.txt': 'from a cell',
      '/workspace/d.txt': 'd\n',
      '/workspace/long.txt': 'x'.repeat(18_000),
      '/workspace/longer.txt': 'y'.repeat(24_000),
    });
  });

  test('comes to the same end, whichever entry was the last one', async () => {
    const { boundaries } = reference;
    const stride = inject('cutStride');
    const faults: unknown[] = [];
    for (const [at, last] of boundaries.slice(0, -1).entries()) {
      if (at % stride !== inject('seed') % stride) continue;
      const found = left.get(last);
      // Of entries that land side by side only the last one is known.
      const fault = await (found ? goOn(found, [last]) : kill([last]));
      if (fault) faults.push({ last, ...fault });
    }
    expect(faults).toEqual([]);
    expect(boundaries.length).toBeGreaterThan(150);
    expect(left.size).toBeGreaterThan(150);
  }, 900_000);

  test('goes back with its files and its conversation together, or with neither', async () => {
    const { n: rewound = 0 } = reference.entries.find(({ type }) => type === 'rewound') ?? {};
    expect(reference.boundaries).toContain(rewound);
    const before = { 'a.txt': 'four\n', 'e.txt': 'gone' };
    const ends = { [rewound - 1]: before, [rewound]: { 'a.txt': 'three\n', 'e.txt': undefined } };
    for (const [last, end] of Object.entries(ends)) {
      const disk = createDisk();
      const killed = await play(disk, new World(), { freezeAfter: Number(last) });
      const files = await killed.files();
      const found = { 'a.txt': files['/workspace/a.txt'], 'e.txt': files['/workspace/e.txt'] };
      expect([last, found]).toEqual([last, end]);
    }
  });

  test('comes to the same end when it is killed again while it is taken up', async () => {
    const random = createRandom(18);
    const faults: unknown[] = [];
    for (let times = 0; times < inject('cutsInARow'); times += 1) {
      const last = random.pick(reference.boundaries.slice(0, -1));
      const again = [last, last + 1 + random.below(5), last + 8 + random.below(5)];
      const fault = await kill(again);
      if (fault) faults.push({ again, ...fault });
    }
    expect(faults).toEqual([]);
  }, 900_000);
});

/** One page after the other, each killed after its last entry, and one that finishes. */
async function kill(lasts: readonly number[]): Promise<object | undefined> {
  const killed = createDisk();
  const world = new World();
  for (const last of lasts) await play(killed, world, { freezeAfter: last });
  return finish(killed, world, lasts);
}

async function goOn(
  { writes, world }: Left,
  lasts: readonly number[],
): Promise<object | undefined> {
  return finish(await disk.after(writes), world, lasts);
}

async function finish(
  killed: Disk,
  world: World,
  lasts: readonly number[],
): Promise<object | undefined> {
  const played = await play(killed, world);
  const fault = findFaults(await toEnding(played), wanted, world);
  // A summary is asked for again only where its record never landed.
  const { n = 0 } = played.entries.find(({ type }) => type === 'compacted') ?? {};
  const most = 1 + lasts.filter((last) => last < n).length;
  return world.summaries <= most ? fault : { ...fault, summaries: world.summaries };
}
