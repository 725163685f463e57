// A server's process is killed while a session runs in it. Another one over the same folder goes on with it, though no
// request comes, to the same end. A slow lane: KILLS=40 (or any number) says how often.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEdgeHost } from '../../../src/edge.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { openSqliteStorage } from '../../../src/server.ts';
import type { SqliteStorage } from '../../../src/server.ts';
import { connectSession, fetchTicket } from '../../../src/wire.ts';
import { readEnding, toPrompt } from '../../support/kills/finish-session.ts';
import { findFaults, killedRewind } from '../../support/kills/killed-conversation.ts';
import type { Ending } from '../../support/kills/killed-conversation.ts';
import { createRandom } from '../../support/random.ts';
import { commands, startServerProcess } from '../../support/wire/server-process.ts';
import type { ServerProcess } from '../../support/wire/server-process.ts';

const kills = Number(process.env['KILLS'] ?? 0);

let folder: string;
let server: ServerProcess | undefined;
const moved = new Map<string, number>();
let requests = 0;
let told = 0;
let rewound = false;
let onTold = (_line: string) => {};
const errors: string[] = [];

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'rockpool-killed-server-'))));

afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

function hear(line: string): void {
  const [what = '', which = ''] = line.split(' ');
  if (what === 'moved') moved.set(which, (moved.get(which) ?? 0) + 1);
  if (what === 'request') requests += 1;
  if (what === 'error') errors.push(line);
  told += 1;
  onTold(line);
}

async function start(): Promise<void> {
  server = await startServerProcess(commands.node, folder, hear);
}

async function restart(): Promise<void> {
  await server?.kill();
  await start();
}

/** Resolves when it has said so much more. */
function whenTold(count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    onTold = () => void ((left -= 1) === 0 && resolve());
  });
}

const file = () => join(folder, 'killed.sqlite');

/** What the session has come to, once its server has let go of it: nothing is left to do then. */
async function finish(): Promise<Ending> {
  let storage: SqliteStorage | undefined;
  await expect
    .poll(
      async () => {
        storage = await openSqliteStorage(file()).catch((error: unknown) => {
          if (SdkError.isInstance(error) && error.code === 'EBUSY') return undefined;
          throw error;
        });
        return storage !== undefined;
      },
      { timeout: 600_000 },
    )
    .toBe(true);
  using opened = storage as SqliteStorage;
  await using host = await createEdgeHost({ wasm: await loadQuickjsWasm(), storage: opened });
  return await readEnding(host);
}

const parts = [
  [0, 1, 2, 3, 4],
  [5, 6],
] as const;

/** Says the prompts of one part, over the wire. */
async function say(part: 0 | 1): Promise<void> {
  const url = `${server?.url}/sessions/killed/wire`;
  const ticket = () => fetchTicket(url, { authorization: 'Bearer owner' });
  const client = await connectSession(url, { ticket });
  const isRewound = part === 0 || rewound;
  if (!isRewound) await client.rewind(killedRewind.to);
  rewound = part === 1;
  for (const index of parts[part]) await client.send(toPrompt(index));
  await client.close();
}

/** Plays it; in one part its process is killed after so many lines. Gives how many lines each part has. */
async function play(killedIn: number, after: number) {
  for (const tail of ['', '-wal']) rmSync(`${file()}${tail}`, { force: true });
  rewound = false;
  const lines: number[] = [];
  let ending: Ending | undefined;
  for (const part of [0, 1] as const) {
    const before = told;
    const lost = part === killedIn ? whenTold(after) : undefined;
    const saying = say(part).then(
      () => 'said',
      () => 'lost',
    );
    if (lost) {
      const isSaid = (await Promise.race([saying, lost])) === 'said';
      await lost;
      await restart();
      // A prompt that wasn't taken is said again. Where all were, nothing comes from here.
      if (!isSaid) await say(part);
    } else expect(await saying).toBe('said');
    ending = await finish();
    lines.push(told - before);
  }
  return { ending: ending as Ending, lines };
}

it.runIf(kills > 0)(
  'goes on with a session whose process was killed, by itself, to the end of one that was left in peace',
  { timeout: 600_000 + kills * 60_000 },
  async () => {
    const random = createRandom(28);
    await start();
    const { ending: reference, lines } = await play(-1, 0);
    const wanted = requests;
    const faults: unknown[] = [];
    for (let round = 0; round < kills; round += 1) {
      moved.clear();
      requests = 0;
      const part = round % 2;
      const at = 1 + random.below((lines[part] ?? 2) - 1);
      const { ending } = await play(part, at);
      const fault = findFaults(ending, reference, { moved, asked: [] });
      if (fault || requests > wanted + 1)
        faults.push({ round, part, at, requests, wanted, ...fault });
    }
    expect(faults).toEqual([]);
    expect(errors).toEqual([]);
  },
);
