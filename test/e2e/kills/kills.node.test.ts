// The whole browser is killed while two tabs and their tool workers write. It is killed at random
// moments, and in the middle of what the FS worker does by itself. What a fresh browser finds is
// what had been done, up to some operation at or after the last acknowledged. KILLS=200 (or any
// number) makes it a slow lane, and so does Firefox: the project firefox-kills.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { launchOnProfile } from '../chromium.ts';
import { launchFirefoxOnProfile } from './firefox.ts';
import type { KillableBrowser, Tab } from '../killable-browser.ts';
import { playHistory, type Files, type Step } from '../page/kill-history.ts';
import type { FoundFolder } from '../page/kill-page.ts';
import type { Phase } from '../page/kill-stop.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser that is killed, and how often: vitest.config.ts. */
    kills: { readonly browser: 'chromium' | 'firefox'; readonly count: number };
  }
}

const { browser: name, count: kills } = inject('kills');
const launch = name === 'firefox' ? launchFirefoxOnProfile : launchOnProfile;

/** How far a tab's history is known to have come. */
interface Progress {
  readonly seed: number;
  begun: number;
  done: number;
}

/** In turn. `anywhere` is after some acknowledgement; in the others the FS worker stands still. */
const places = ['anywhere', 'recovery', 'anywhere', 'image', 'anywhere', 'compaction'] as const;

/** About as many calls of the browser's storage as one of them makes. */
const callsOf = { recovery: 20, image: 12, compaction: 12 } as const;

/** The call at which the FS worker stands still. The first time it is one that surely comes. */
function drawCall(place: Phase, round: number): number {
  return upTo(round < places.length ? 4 : callsOf[place]);
}

/** So many folders live on through the kills; then they are looked at once more, and removed. */
const maxFolders = 20;

let served: BuiltPage;
let profile: string;
let browser: KillableBrowser | undefined;
/** Folders that were being written to when the browser was killed. */
const tabs = new Map<string, Progress>();
/** Folders that a fresh browser has read, and what they hold since. */
const settled = new Map<string, Files>();
/** Called with each acknowledgement. */
let onDone = () => {};
/** Called when an FS worker stands still. */
let onStop = (_at: string) => {};

beforeAll(async () => {
  served = await serveBuiltPage({
    page: 'test/e2e/page/kill-page.html',
    // Never answered: the worker waits until it is killed.
    handle(path, request) {
      if (path !== 'stopped') return false;
      onStop(new URL(request.url ?? '', served.url).searchParams.get('at') ?? '');
      return true;
    },
  });
  profile = mkdtempSync(join(tmpdir(), 'rockpool-kills-'));
});

afterEach(() => browser?.kill());

afterAll(async () => {
  await served.close();
  rmSync(profile, { recursive: true, maxRetries: 5 });
});

async function openTab(): Promise<Tab> {
  const tab = await browser!.newTab();
  await tab.expose('heard', (folder: string, number: number, what: 'begun' | 'done') => {
    const progress = tabs.get(folder);
    if (progress) progress[what] = number;
    if (what === 'done') onDone();
  });
  await tab.open(served.url);
  return tab;
}

function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    onStop = resolve;
  });
}

/** Resolves in the very moment in which the last of them is heard of. */
function countAcknowledgements(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    onDone = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
}

const upTo = (most: number) => Math.ceil(Math.random() * most);

async function openWorkspace(tab: Tab): Promise<void> {
  const info = await tab.evaluate(() => window.killPage!.open('kills'), undefined);
  expect([info.driver, info.lostFiles]).toEqual(['opfs-log', []]);
}

const readFolder = (tab: Tab, folder: string) =>
  tab.evaluate((given) => window.killPage!.read(given), folder);

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function areSame(found: FoundFolder['files'], files: Files): boolean {
  return (
    files.size === Object.keys(found).length &&
    [...files].every(([path, text]) => found[path] === hashOf(text))
  );
}

/**
 * The step of its history that the folder shows. Throws where it is as it was after none of the
 * operations that it may have come to.
 */
function requirePrefix(
  folder: string,
  { seed, begun, done }: Progress,
  found: FoundFolder,
): Pick<Step, 'files' | 'checkpoints'> {
  const isFound = ({ files, checkpoints }: Pick<Step, 'files' | 'checkpoints'>) =>
    found.checkpoints === checkpoints.length && areSame(found.files, files);
  const before = { files: new Map(), checkpoints: [] };
  if (done === 0 && isFound(before)) return before;
  let number = 0;
  for (const step of playHistory(seed)) {
    number += 1;
    if (number >= done && isFound(step)) return step;
    if (number >= begun) break;
  }
  throw new Error(
    `${folder}: after ${done} acknowledged of ${begun} operations (seed ${seed}) the files, and ` +
      `${found.checkpoints} checkpoints, are those of no prefix: ${Object.keys(found.files).join(', ')}`,
  );
}

/** Also goes back to the folder's last checkpoint, which must be there with all that it held. */
async function settle(tab: Tab, folder: string, progress: Progress): Promise<void> {
  const { files, checkpoints } = requirePrefix(folder, progress, await readFolder(tab, folder));
  const last = checkpoints.at(-1);
  settled.set(folder, last ?? files);
  if (!last) return;
  await tab.evaluate((given) => window.killPage!.rewind(given), folder);
  await requireSettled(tab, folder);
}

async function requireSettled(tab: Tab, folder: string): Promise<void> {
  const found = await readFolder(tab, folder);
  if (areSame(found.files, settled.get(folder)!)) return;
  throw new Error(`${folder} has changed since: ${Object.keys(found.files).join(', ')}`);
}

/** Looks at what the kills have left, in a fresh browser's first tab. */
async function verify(tab: Tab, isLast: boolean): Promise<void> {
  for (const [folder, progress] of tabs) await settle(tab, folder, progress);
  tabs.clear();
  await tab.evaluate(() => window.killPage!.dropRoots(), undefined);
  const old = [...settled.keys()].slice(0, isLast ? settled.size : -maxFolders);
  for (const folder of old) {
    await requireSettled(tab, folder);
    await tab.evaluate((given) => window.killPage!.remove(given), folder);
    settled.delete(folder);
  }
}

/** Resolves with where the browser is now, to be killed. */
async function openUntilKill(round: number): Promise<string> {
  const tab = await openTab();
  const stop = { phase: 'recovery', calls: drawCall('recovery', round) } as const;
  const opened = tab.evaluate((given) => window.killPage!.open('kills', given), stop);
  return Promise.race([untilStopped(), opened.then(() => 'anywhere')]);
}

/** As {@link openUntilKill}, after both tabs have played. */
async function playUntilKill(round: number, place: Phase | 'anywhere'): Promise<string> {
  const pages = await Promise.all([openTab(), openTab()]);
  await openWorkspace(pages[0]);
  await verify(pages[0], false);
  await openWorkspace(pages[1]);

  const acknowledged = countAcknowledgements(upTo(60));
  const stopped = untilStopped();
  const play = (count: number) =>
    Promise.all(
      pages.map((page, at) => {
        const folder = `round-${round}-tab-${at}`;
        const seed = round * 2 + at + 1;
        tabs.set(folder, { seed, begun: 0, done: 0 });
        return page.evaluate((given) => window.killPage!.play(...given), [
          folder,
          seed,
          count,
        ] as const);
      }),
    );
  // The plays fail when their browser goes; one that fails before that is a failure.
  if (place === 'anywhere') {
    await Promise.race([acknowledged, play(Infinity)]);
    return place;
  }
  const stop = { phase: place, calls: drawCall(place, round) };
  await pages[0].evaluate((given) => window.killPage!.stopAt(given), stop);
  const rested = play(upTo(25)).then(() =>
    pages[0].evaluate(() => window.killPage!.endPlay(), undefined),
  );
  return Promise.race([stopped, rested.then(() => stopped)]);
}

describe(`${kills} kills of the whole browser`, () => {
  it(
    'lose no acknowledged operation, tear none, and leave a prefix of the history',
    { timeout: 600_000 + kills * 60_000 },
    async () => {
      const killedAt: Record<string, number> = {};
      let operations = 0;
      for (let round = 0; round < kills; round += 1) {
        const place = places[round % places.length]!;
        browser = await launch(profile);
        const at =
          place === 'recovery' ? await openUntilKill(round) : await playUntilKill(round, place);
        await browser.kill();
        killedAt[at] = (killedAt[at] ?? 0) + 1;
        if (place !== 'recovery') for (const { done } of tabs.values()) operations += done;
      }
      browser = await launch(profile);
      const tab = await openTab();
      await openWorkspace(tab);
      await verify(tab, true);
      console.log(`${name} was killed at: ${JSON.stringify(killedAt)}, ${operations} operations`);
      expect(operations).toBeGreaterThanOrEqual(kills / 2);
      if (kills < places.length) return;
      expect(Object.keys(killedAt)).toEqual(expect.arrayContaining([...new Set(places)]));
    },
  );
});
