// A session that is killed after any entry of its journal comes to the same end when it is opened again.
// A page that is killed is a medium that freezes. The conversation: killed-conversation.ts.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CallRecord, JournalEntry } from '../../../../src/core/journal.ts';
import {
  answerBy,
  findFaults,
  killedModel,
  killedPrompts,
  listKilledTools,
  readTranscript,
} from '../../../support/killed-conversation.ts';
import type { Ending, Seen } from '../../../support/killed-conversation.ts';
import { createDisk, playSession } from '../../../support/kept-session.ts';
import type { Disk, Played } from '../../../support/kept-session.ts';
import { createRandom } from '../../../support/random.ts';

/** What lies outside of the pages, and outlives them. */
class World implements Seen {
  readonly moved = new Map<string, number>();
  /** A page that is killed may still show some: those of each page are apart. */
  asked: string[] = [];

  open(): { readonly tools: never; readonly canUseTool: ReturnType<typeof answerBy> } {
    const asked: string[] = [];
    this.asked = asked;
    const move = (id: string) => this.moved.set(id, (this.moved.get(id) ?? 0) + 1);
    const tools = listKilledTools({ move }) as never;
    return { tools, canUseTool: answerBy({ ask: (requestId) => asked.push(requestId) }) };
  }
}

function play(disk: Disk, world: World, freezeAfter = Infinity): Promise<Played> {
  return playSession(disk, {
    prompts: killedPrompts,
    freezeAfter,
    model: killedModel,
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

let reference: Played;
let wanted: Ending;

beforeAll(async () => {
  const disk = createDisk();
  reference = await play(disk, new World());
  wanted = await toEnding(reference);
});

describe('a session that is killed', () => {
  test('has a reference that was not: 6 turns, 21 calls', () => {
    const calls = reference.entries.filter(
      (entry): entry is CallRecord & JournalEntry =>
        entry.type === 'call' && entry.origin === 'model',
    );
    const ends = reference.entries.filter(({ type }) => type === 'result');
    expect({ turns: ends.length, denied: 21 - calls.length }).toEqual({ turns: 6, denied: 1 });
    const { results } = readTranscript(wanted);
    expect(results['call-5-1-0']).toMatch(/^=> \[ 'from a cell', 13, 0\.\d+ \]$/u);
    expect(wanted.files).toEqual({
      '/workspace/a.txt': 'three\n',
      '/workspace/b.txt': 'bb\n',
      '/workspace/c.txt': 'from a cell',
      '/workspace/d.txt': 'd\n',
    });
  });

  test('comes to the same end, whichever entry was the last one', async () => {
    const { boundaries } = reference;
    const faults: unknown[] = [];
    for (const last of boundaries.slice(0, -1)) {
      const fault = await kill([last]);
      if (fault) faults.push({ last, ...fault });
    }
    expect(faults).toEqual([]);
    expect(boundaries.length).toBeGreaterThan(150);
  }, 300_000);

  test('comes to the same end when it is killed again while it is taken up', async () => {
    const random = createRandom(18);
    const faults: unknown[] = [];
    for (let times = 0; times < 40; times += 1) {
      const last = random.pick(reference.boundaries.slice(0, -1));
      const again = [last, last + 1 + random.below(5), last + 8 + random.below(5)];
      const fault = await kill(again);
      if (fault) faults.push({ again, ...fault });
    }
    expect(faults).toEqual([]);
  }, 300_000);
});

/** One page after the other, each killed after its last entry, and one that finishes. */
async function kill(lasts: readonly number[]): Promise<object | undefined> {
  const disk = createDisk();
  const world = new World();
  for (const last of lasts) await play(disk, world, last);
  const played = await play(disk, world);
  return findFaults(await toEnding(played), wanted, world);
}
