// A session that two tabs have open, until the whole browser is killed, or the tab that runs it. A fresh browser on
// the same profile, or the other tab, resumes the session from what OPFS has, and it comes to the same end.
// So does one with sub-agents. KILLS=60 (or any number) makes it a slow lane.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { killedConversations } from '../../support/kills/killed-conversations.ts';
import type { ConversationName, KilledEnding } from '../../support/kills/killed-conversations.ts';
import { createRandom } from '../../support/random.ts';
import { launchOnProfile } from '../chromium.ts';
import type { CrashableTab, ProfileBrowser } from '../chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How often the browser of a session, or workerd, is killed, by conversation: vitest.config.ts. */
    sessionKills: Record<ConversationName, number>;
    /** How often a session object loses its instance. */
    objectLosses: number;
    /** How many sessions are archived while they lose their instance, and how many have a faulty bucket. */
    bucketRounds: number;
  }
}

const conversations = Object.entries(inject('sessionKills')) as [ConversationName, number][];

let served: BuiltPage;
let profile: string;
let browser: ProfileBrowser | undefined;
/** By call, how often the counter has moved in this round. */
const moved = new Map<string, number>();
/** Called with the journal's length as it grows. */
let onLanded = (_length: number) => {};
/** A tab's first request to the model's server waits for it. */
let mayAsk: Promise<unknown> = Promise.resolve();
/** A session that is over is closed after it: nobody gives it up before the kill. */
let mayClose: Promise<unknown> = Promise.resolve();
/** Called when a session is over. */
let onOver = () => {};

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/session-page.html' });
  profile = mkdtempSync(join(tmpdir(), 'rockpool-killed-sessions-'));
});

afterAll(async () => {
  await browser?.kill();
  await served.close();
  rmSync(profile, { recursive: true, maxRetries: 5 });
});

interface SessionTab extends CrashableTab {
  /** What a person was shown while it ran the session. */
  readonly asked: readonly string[];
}

/** A fresh page. `onOpened`: its session is open. */
async function openTab(onOpened: () => void = () => {}): Promise<SessionTab> {
  browser ??= await launchOnProfile(profile);
  const tab = await browser.newTab();
  const asked: string[] = [];
  await tab.expose('moved', (callId: string) => moved.set(callId, (moved.get(callId) ?? 0) + 1));
  await tab.expose('asked', (requestId: string) => asked.push(requestId));
  await tab.expose('landed', (length: number) => onLanded(length));
  await tab.expose('requested', () => mayAsk);
  await tab.expose('over', () => {
    onOver();
    return mayClose;
  });
  await tab.expose('opened', onOpened);
  await tab.open(served.url);
  return { ...tab, asked };
}

async function killBrowser(): Promise<void> {
  await browser?.kill();
  browser = undefined;
}

/** Ends with an error where the tab is gone meanwhile. */
const finish = (
  tab: CrashableTab,
  workspace: string,
  conversation: ConversationName,
): Promise<KilledEnding> =>
  tab.evaluate(([name, which]) => window.sessionPage!.finish(name, which), [
    `${conversation}-${workspace}`,
    conversation,
  ] as const);

/** Resolves in the moment in which the journal is heard to have so many entries, or all that there are. */
function untilLanded(wanted: number): Promise<'landed'> {
  return new Promise((resolve) => {
    onOver = () => resolve('landed');
    onLanded = (length) => {
      if (length >= wanted) resolve('landed');
    };
  });
}

/** Rejects where what should be cut ends before that. */
async function before<Value>(moment: Promise<Value>, cut: Promise<unknown>): Promise<Value> {
  const ended = cut.then(() => {
    throw new Error('It was done before it was killed.');
  });
  return Promise.race([moment, ended]);
}

describe.each(conversations)('a killed tab or browser: %s, %i times', (conversation, kills) => {
  it(
    'comes to the end of one that nobody killed',
    { timeout: 600_000 + kills * 60_000 },
    async () => {
      const random = createRandom(18);
      const reference = await finish(await openTab(), 'reference', conversation);
      const faults: unknown[] = [];
      const lengths: number[] = [];
      for (let round = 0; round < kills; round += 1) {
        moved.clear();
        const workspace = `round-${round}`;
        const wanted = 1 + random.below(reference.entries.length - 1);
        const isTab = round % 2 === 1;
        const { promise: followed, resolve: tellFollowed } = createDeferred();
        mayAsk = followed;
        let tellKilled = () => {};
        mayClose = new Promise<void>((resolve) => (tellKilled = resolve));
        const begun = untilLanded(1);
        const [runner, viewer] = [await openTab(), await openTab(tellFollowed)];
        const first = finish(runner, workspace, conversation);
        await before(begun, first);
        const landed = untilLanded(wanted);
        const second = finish(viewer, workspace, conversation);
        second.catch(() => undefined);
        await before(landed, first);
        if (isTab) await before(followed, first);
        await (isTab ? runner.crash() : killBrowser());
        tellKilled();
        // Nobody else follows it now.
        mayAsk = Promise.resolve();
        const last = isTab ? viewer : await openTab();
        const ending = await (isTab ? second : finish(last, workspace, conversation));
        const again = ending.entries.find((entry) => entry.type === 'opened' && entry.n > 2);
        lengths.push((again?.n ?? 0) - 1);
        const wasTaken = again?.type === 'opened' && again.why === 'takeover';
        // One that was over needs nobody else.
        const isWrong = isTab ? again !== undefined && !wasTaken : wasTaken;
        const seen = { moved, asked: last.asked };
        const fault = killedConversations[conversation].findFaults(ending, reference, seen);
        if (fault || isWrong) faults.push({ round, wanted, isTab, ...fault });
      }
      console.log(`killed with so many entries kept: ${lengths.join(', ')}`);
      expect(faults).toEqual([]);
      // One that had ended before it was killed is opened by nobody again.
      expect(lengths.filter((length) => length > 1).length).toBeGreaterThanOrEqual(kills / 2);
    },
  );
});
