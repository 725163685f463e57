// The scripted hour and sessions at rest, asked of the bench's Worker from outside.
import type { Miniflare } from 'miniflare';
import { readIsolateMemory } from '../../support/edge/isolate-memory.ts';
import { priceHour, prompts, requestsAPrompt } from './scripted-hour.ts';
import { secondsARequest, secondsUntilSleep } from './scripted-hour.ts';

type Ask = (path: string) => Promise<{ readonly output: unknown }>;

interface TurnCounts {
  readonly read: number;
  readonly written: number;
  readonly alarms: number;
  readonly seconds: number;
}

export interface MeasuredHour {
  readonly usd: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
  readonly requests: number;
}

/** Between two prompts the object sleeps. `ask`: of an object that has the 5 000 files. */
export async function measureHour(ask: Ask, sleep: () => Promise<unknown>): Promise<MeasuredHour> {
  let rowsRead = 0;
  let rowsWritten = 0;
  // Each prompt is a request.
  let requests = prompts;
  let seconds = prompts * (requestsAPrompt * secondsARequest + secondsUntilSleep);
  for (let turn = 0; turn < prompts; turn += 1) {
    await sleep();
    const counts = (await ask('turn')).output as TurnCounts;
    rowsRead += counts.read;
    rowsWritten += counts.written;
    requests += counts.alarms;
    seconds += counts.seconds;
  }
  const usd = priceHour({ seconds, rowsWritten, rowsRead, requests });
  return { usd, rowsWritten, rowsRead, requests };
}

const sessions = 100;
const warmSessions = 5;
const atOnce = 10;

/** What a session keeps that has searched and run a cell, and sleeps in an instance that lives, in kB. */
export async function measureRest(server: Miniflare, ask: Ask): Promise<number> {
  const play = async (from: number, count: number) => {
    for (let at = from; at < from + count; at += atOnce) {
      const names = Array.from({ length: Math.min(atOnce, from + count - at) }, (_, k) => at + k);
      await Promise.all(names.map((name) => ask(`turn?object=rest${name}`)));
      // Or the runtime would let those go that were idle for long.
      for (let known = 0; known < at; known += 1) await ask(`nothing?object=rest${known}`);
    }
  };
  await play(0, warmSessions);
  const before = await readMemory(server, ask);
  await play(warmSessions, sessions);
  const after = await readMemory(server, ask);
  return (after - before) / sessions / 1024;
}

/** The isolate's: V8's heap and buffers outside of it, in bytes, the least of some rounds: it is given back late. */
async function readMemory(server: Miniflare, ask: Ask): Promise<number> {
  const url = await server.getInspectorURL();
  let least = Infinity;
  for (let round = 0; round < 8; round += 1) {
    // An isolate collects only while it runs.
    const { output } = await ask('collect?object=rest0');
    if (output !== true) throw new Error('The isolate has no gc.');
    const { heap, buffers } = await readIsolateMemory(url);
    least = Math.min(least, heap + buffers);
  }
  return least;
}
