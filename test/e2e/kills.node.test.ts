// The whole browser is killed at random moments while two tabs and their tool workers write; what a
// fresh browser finds is what had been done, up to some operation at or after the last acknowledged.
// KILLS=200 (or any number) makes it a slow lane.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../scripts/serve-built-page.ts';
import { launchOnProfile, type ProfileBrowser } from './chromium.ts';
import { playHistory } from './page/kill-history.ts';

const kills = Number(process.env['KILLS'] ?? 30);

/** How far a tab's history is known to have come. */
interface Progress {
  readonly seed: number;
  begun: number;
  done: number;
}

let served: BuiltPage;
let profile: string;
let browser: ProfileBrowser | undefined;
const tabs = new Map<string, Progress>();
/** Called with each acknowledgement. */
let onDone = () => {};

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/kill-page.html' });
  profile = mkdtempSync(join(tmpdir(), 'rockpool-kills-'));
});

afterEach(() => browser?.kill());

afterAll(async () => {
  await served.close();
  rmSync(profile, { recursive: true, maxRetries: 5 });
});

async function openTab({ context }: ProfileBrowser): Promise<Page> {
  const page = await context.newPage();
  await page.exposeFunction('heard', (folder: string, number: number, what: 'begun' | 'done') => {
    const progress = tabs.get(folder);
    if (progress) progress[what] = number;
    if (what === 'done') onDone();
  });
  await page.goto(served.url);
  await page.waitForFunction(() => window.killPage !== undefined);
  return page;
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

const open = (page: Page) => page.evaluate(() => window.killPage!.open('kills'));

/** Throws where the folder is as it was after none of the operations that it may have come to. */
function requirePrefix(folder: string, found: Readonly<Record<string, string>>): void {
  const { seed, begun, done } = tabs.get(folder)!;
  const isFound = (files: ReadonlyMap<string, string>) =>
    files.size === Object.keys(found).length &&
    [...files].every(([path, text]) => found[path] === text);
  if (done === 0 && Object.keys(found).length === 0) return;
  let number = 0;
  for (const { files } of playHistory(seed)) {
    number += 1;
    if (number >= done && isFound(files)) return;
    if (number >= begun) break;
  }
  throw new Error(
    `${folder}: after ${done} acknowledged of ${begun} operations (seed ${seed}) the files are those ` +
      `of no prefix: ${Object.keys(found).join(', ')}`,
  );
}

describe(`${kills} kills of the whole browser`, () => {
  it(
    'lose no acknowledged operation, tear none, and leave a prefix of the history',
    { timeout: 60_000 + kills * 10_000 },
    async () => {
      let operations = 0;
      for (let round = 0; round <= kills; round += 1) {
        browser = await launchOnProfile(profile);
        const pages = [await openTab(browser), await openTab(browser)];
        const [first] = pages as [Page, Page];
        const info = await open(first);
        expect(info.driver).toBe('opfs-log');
        const last = [...tabs.keys()].slice(-2);
        for (const folder of round === kills ? tabs.keys() : last) {
          const found = await first.evaluate((name) => window.killPage!.read(name), folder);
          requirePrefix(folder, found);
        }
        for (const folder of last) operations += tabs.get(folder)!.done;
        if (round === kills) break;

        await Promise.all(pages.slice(1).map(open));
        const failures: string[] = [];
        pages.forEach((page, at) => {
          const folder = `round-${round}-tab-${at}`;
          const seed = round * 2 + at + 1;
          tabs.set(folder, { seed, begun: 0, done: 0 });
          page
            .evaluate(([name, number]) => window.killPage!.play(name, number), [
              folder,
              seed,
            ] as const)
            // The page goes with its browser: that is the end of every play but a failed one.
            .then(
              (message) => failures.push(message),
              () => {},
            );
        });
        await countAcknowledgements(Math.ceil(Math.random() * 60));
        expect(failures).toEqual([]);
        await browser.kill();
      }
      expect(operations).toBeGreaterThanOrEqual(kills);
    },
  );
});
