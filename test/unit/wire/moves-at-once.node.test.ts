// What happens at the same time as a move: recording, another move, an abort, a call of an app.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionJournal } from '../../../src/agent/journal/session-journal.ts';
import {
  createStreamStore,
  loadJournal,
  toJournalId,
} from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { openAgentBranch, openDryRun } from '../../../src/agent/session/files/dry-run.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { settleMove } from '../../../src/wire/handover/settle-move.ts';
import { isolated, listBranches, main, runIsolated } from '../../support/turns/isolated-agents.ts';
import { say, write } from '../../support/turns/run-hooked.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MovingPlaces } from '../../support/wire/moving-places.ts';
import { isResult, readUntil } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';

let places: MovingPlaces;

beforeEach(async () => {
  places = await openMovingPlaces();
});

afterEach(() => places.close());

const options = () => ({ fetch: places.fetch, ticket: () => 'a ticket', clock: atOnce });
const move = () => moveSession(movingId, movingUrl, { host: places.tab, ...options() });

async function playHere(): Promise<void> {
  const session = await places.openIn('tab');
  const { n } = await session.send('Turn 0');
  await readUntil(session, isResult, n);
  await session.close();
}

type Types = (type: string, fields: Readonly<Record<string, unknown>>) => void;

/** Hears of each request before it is sent. */
const hearing =
  (hear: Types): typeof fetch =>
  async (url, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    hear(String(fields['type']), fields);
    return places.fetch(url, init);
  };

describe('a move', () => {
  it('sends no entry that a power cut could still take back', async () => {
    const { workspace } = places.tab;
    const { streams } = workspace;
    const journal = toJournalId(movingId);
    /** How many entries of the journal outlive one. */
    let durable = 0;
    let appended = 0;
    const host: Host = {
      ...places.tab,
      workspace: {
        ...workspace,
        streams: {
          ...streams,
          async append(id, entries, how) {
            const done = await streams.append(id, entries, how);
            if (id === journal) appended = done.length;
            if (how.durability !== 'process') durable = appended;
            return done;
          },
        },
      },
    };
    const model = listModel('claude-test', [says('One.')]);
    const session = await openSession({ host, model, sessionId: movingId });
    const { n } = await session.send('First?');
    await readUntil(session, isResult, n);
    const sent: (readonly [last: number, durable: number])[] = [];
    const hear: Types = (type, { from, entries }) => {
      if (type !== 'journal') return;
      sent.push([Number(from) + (entries as unknown[]).length - 1, durable]);
    };
    await moveSession(movingId, movingUrl, { host, ...options(), fetch: hearing(hear) });
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.filter(([last, safe]) => last > safe)).toEqual([]);
  });

  it('is refused while another one is under way, and that one is done', async () => {
    await playHere();
    let second: Promise<void> | undefined;
    const hear: Types = (type) => {
      if (type === 'stage') second = move();
      second?.catch(() => undefined);
    };
    const first = moveSession(movingId, movingUrl, {
      host: places.tab,
      ...options(),
      fetch: hearing(hear),
    });
    await expect(first).resolves.toBeUndefined();
    await expect(second).rejects.toThrow(
      `The session ${movingId} is just being moved. Wait until that is done, or call it off by its signal.`,
    );
    expect(await places.owners()).toEqual(['cloud']);
  });

  it('that is aborted is called off there, too, unless it is done already', async () => {
    await playHere();
    const types: string[] = [];
    const stopAt = (at: string, isHeard: boolean) => {
      const controller = new AbortController();
      const stopping: typeof fetch = async (url, init) => {
        const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
        types.push(String(fields['type']));
        if (fields['type'] !== at) return places.fetch(url, init);
        if (isHeard) await places.fetch(url, init);
        controller.abort();
        throw new DOMException('Aborted.', 'AbortError');
      };
      const { signal } = controller;
      const how = { ...options(), host: places.tab, signal, fetch: stopping };
      return moveSession(movingId, movingUrl, how);
    };
    for (const at of ['offer', 'contents', 'journal', 'stage', 'take']) {
      await expect(stopAt(at, false)).rejects.toMatchObject({ code: 'aborted' });
      expect(types.at(-1)).toBe('cancel');
      expect(await places.owners()).toEqual(['tab']);
      // Nothing that has arrived is kept there for a move that never comes.
      expect(await places.cloud.workspace.roots.list({ kind: 'branch' })).toEqual([]);
    }
    await stopAt('take', true);
    expect(await places.owners()).toEqual(['cloud']);
  });

  it('is given up where the place says nothing, also to that', async () => {
    await playHere();
    let isSilent = false;
    let giveUp: () => void = () => undefined;
    const clock: Clock = {
      now: () => Date.now(),
      after(_ms, act) {
        giveUp = act;
        return { [Symbol.dispose]() {} };
      },
    };
    const silent: typeof fetch = async (url, init) => {
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      if (fields['type'] === 'stage') isSilent = true;
      if (!isSilent) return places.fetch(url, init);
      queueMicrotask(giveUp);
      return new Promise(() => {});
    };
    const how = { ...options(), host: places.tab, clock, fetch: silent };
    await expect(moveSession(movingId, movingUrl, how)).rejects.toMatchObject({
      code: 'worker-lost',
      message: `The place at ${movingUrl}/move is out of reach.`,
    });
    expect(await places.owners()).toEqual(['tab']);
  });

  it('isn’t settled by who gives up before the place has answered', async () => {
    await playHere();
    const lossy: typeof fetch = async (url, init) => {
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      if (fields['type'] === 'take') throw new TypeError('The network is gone.');
      return places.fetch(url, init);
    };
    const host = places.tab;
    await expect(
      moveSession(movingId, movingUrl, { host, ...options(), fetch: lossy }),
    ).rejects.toMatchObject({ data: { isUnsure: true } });
    const signal = AbortSignal.abort();
    await expect(settleMove(movingId, { host, ...options(), signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    await expect(places.openIn('tab')).rejects.toThrow('Ask there by settleMove');
    expect(await settleMove(movingId, { host, ...options() })).toEqual({ isHere: true });
    expect(await places.owners()).toEqual(['tab']);
  });

  it('is refused by branches with work, before anything is sent; not once that is dropped', async () => {
    const scripts = {
      main: main(isolated('Write.')),
      'Write.': [write('/workspace/b.txt', 'b'), say('Written.')],
    };
    const denies = () => Promise.resolve({ behavior: 'deny', message: 'Not yet.' } as const);
    await runIsolated(places.tab, scripts, { sessionId: movingId }, denies);
    const [branch = ''] = await listBranches(places.tab);
    await expect(move()).rejects.toThrow(
      `has work on a branch of its own (${branch}), which can't be moved. Take it over or drop it by openAgentBranch, then move the session.`,
    );
    expect(places.count).toBe(0);
    const { workspace, clock } = places.tab;
    await (await openAgentBranch(workspace, branch, clock)).dropChanges();
    const dryRun = await openDryRun(workspace, movingId, clock);
    await workspace.at(dryRun.root).fs.writeFile('/workspace/tried.txt', 'tried');
    await expect(move()).rejects.toThrow('Take them over or drop them by openDryRun');
    await dryRun.dropChanges();
    await move();
    expect(await places.owners()).toEqual(['cloud']);
  });

  it('ends a call that an app of the old place was making', async () => {
    await playHere();
    const { workspace } = places.tab;
    const fold = await loadJournal(workspace, movingId);
    const store = createStreamStore(workspace, movingId);
    const journal = createSessionJournal({ fold, store, clock: systemClock });
    await journal.recordSafely({
      type: 'call',
      id: 'of an app',
      tool: 'mcp__weather__refresh',
      attempt: 1,
      origin: 'app',
      input: {},
      repeatable: false,
    });
    await move();
    const there = await places.openIn('cloud');
    const { entries } = await loadJournal(places.cloud.workspace, movingId);
    const ends = entries.flatMap((entry) =>
      entry.type === 'settled' && entry.id === 'of an app' ? [toResultText(entry.result)] : [],
    );
    expect(ends).toEqual([expect.stringContaining('the session was moved to another place')]);
    await there.close();
  });
});
