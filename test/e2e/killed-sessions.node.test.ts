// The whole browser is killed while a session runs in a tab. A fresh browser on the same profile resumes the
// session from what OPFS has, and it comes to the same end. KILLS=60 (or any number) makes it a slow lane.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../scripts/serve-built-page.ts';
import { findFaults, type Ending } from '../support/killed-conversation.ts';
import { createRandom } from '../support/random.ts';
import { launchOnProfile } from './chromium.ts';
import type { KillableBrowser, Tab } from './killable-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How often a session's browser, or workerd, is killed: vitest.config.ts. */
    sessionKills: number;
  }
}

const kills = inject('sessionKills');

let served: BuiltPage;
let profile: string;
let browser: KillableBrowser | undefined;
let tab: Tab;
/** By call, how often the counter has moved in this round. */
const moved = new Map<string, number>();
/** What a person was shown by the tab of now. */
let asked: string[] = [];
/** Called with the journal's length as it grows. */
let onLanded = (_length: number) => {};

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/session-page.html' });
  profile = mkdtempSync(join(tmpdir(), 'rockpool-killed-sessions-'));
});

afterAll(async () => {
  await browser?.kill();
  await served.close();
  rmSync(profile, { recursive: true, maxRetries: 5 });
});

async function startBrowser(): Promise<void> {
  browser = await launchOnProfile(profile);
  tab = await browser.newTab();
  await tab.expose('moved', (callId: string) => moved.set(callId, (moved.get(callId) ?? 0) + 1));
  await tab.expose('asked', (requestId: string) => asked.push(requestId));
  await tab.expose('landed', (length: number) => onLanded(length));
}

/** In a fresh page of the tab. Ends with an error where the browser is killed meanwhile. */
async function finish(workspace: string): Promise<Ending> {
  asked = [];
  await tab.open(served.url);
  return tab.evaluate((name) => window.sessionPage!.finish(name), workspace);
}

/** Resolves in the moment in which the journal is heard to have so many entries. */
function untilLanded(wanted: number): Promise<void> {
  return new Promise((resolve) => {
    onLanded = (length) => {
      if (length >= wanted) resolve();
    };
  });
}

describe(`${kills} kills of a browser with a session`, () => {
  it(
    'change neither its files, nor its transcript, nor what it does outside',
    { timeout: 60_000 + kills * 15_000 },
    async () => {
      const random = createRandom(18);
      await startBrowser();
      const reference = await finish('reference');
      const faults: unknown[] = [];
      const lengths: number[] = [];
      for (let round = 0; round < kills; round += 1) {
        moved.clear();
        const workspace = `round-${round}`;
        const wanted = 1 + random.below(reference.entries.length - 1);
        const landed = untilLanded(wanted).then(() => 'landed');
        // It fails when its browser goes; one that fails or ends before that is a failure.
        const first = finish(workspace).then(() => 'finished');
        expect(await Promise.race([landed, first])).toBe('landed');
        await browser?.kill();
        await startBrowser();
        const ending = await finish(workspace);
        const again = ending.entries.find((entry) => entry.type === 'opened' && entry.n > 2);
        lengths.push((again?.n ?? 0) - 1);
        const fault = findFaults(ending, reference, { moved, asked });
        if (fault) faults.push({ round, wanted, ...fault });
      }
      console.log(`killed with so many entries kept: ${lengths.join(', ')}`);
      expect(faults).toEqual([]);
      expect(lengths.filter((length) => length > 1).length).toBeGreaterThan(kills / 2);
    },
  );
});
