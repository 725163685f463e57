// Chromium for the end-to-end tests. There is one that the test files of a worker share, and one on
// a profile of its own. The latter can be killed as a crash or a power cut would.
import { spawn } from 'node:child_process';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { test } from 'vitest';
import { findBrowser } from '../../scripts/find-browser.mjs';
import { killGroup, readEndpoint, type KillableBrowser, type Tab } from './killable-browser.ts';

// Nothing but loopback is spoken to.
const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** As vitest.config.ts has it for what is polled for. */
const stepMs = 240_000;

/**
 * `it` with a `browser`, started when it is first asked for and ended with its worker. That holds
 * also when the worker is killed, as Chromium goes when playwright's pipe to it breaks. A file
 * keeps to contexts of its own, and closes them.
 */
// oxlint-disable-next-line no-empty-pattern -- vitest takes nothing but a pattern.
export const it = test.extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    // A name that isn't localhost makes an http page an insecure context.
    args: [...args, '--host-resolver-rules=MAP insecure.test 127.0.0.1'],
  });
  onCleanup(() => browser.close());
  return withPatience(browser);
});

/** A step of a page may take as long as whatever a test polls for. By default it is half a minute. */
function withPatience(browser: Browser): Browser {
  const [newContext, newPage] = [browser.newContext.bind(browser), browser.newPage.bind(browser)];
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(stepMs);
    return context;
  };
  browser.newPage = async (options) => {
    const page = await newPage(options);
    page.setDefaultTimeout(stepMs);
    return page;
  };
  return browser;
}

/** Its context is the profile's own, for what a {@link Tab} can't do. */
export interface ProfileBrowser extends KillableBrowser {
  readonly context: BrowserContext;
  newTab(): Promise<CrashableTab>;
}

export interface CrashableTab extends Tab {
  /** Ends the tab's process at once. The others go on. */
  crash(): Promise<void>;
}

/**
 * Starts Chromium on a profile's folder, new or used before.
 *
 * Spawned by us and not by playwright. Only a process that we started as the leader of its own
 * group can be killed together with its children.
 */
export async function launchOnProfile(profile: string): Promise<ProfileBrowser> {
  const child = spawn(
    findBrowser() ?? chromium.executablePath(),
    [
      ...args,
      '--headless=new',
      // Root, as in containers, can't have the sandbox; playwright goes without it too.
      '--no-sandbox',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    const browser = await chromium.connectOverCDP(
      await readEndpoint(child, /DevTools listening on (ws:\S+)/),
    );
    const [context] = browser.contexts();
    if (!context) throw new Error('The browser has no context.');
    context.setDefaultTimeout(stepMs);
    return {
      context,
      newTab: async () => toTab(await context.newPage()),
      kill: () => killGroup(child),
    };
  } catch (error) {
    await killGroup(child);
    throw error;
  }
}

function toTab(page: Page): CrashableTab {
  return {
    async crash() {
      const crashed = page.waitForEvent('crash');
      const session = await page.context().newCDPSession(page);
      // It has no answer: who would give it is gone.
      session.send('Page.crash').catch(() => undefined);
      await crashed;
    },
    expose: async (name, listener) => void (await page.exposeFunction(name, listener)),
    open: async (url) => void (await page.goto(url)),
    evaluate: (run, argument) => page.evaluate(run as never, argument),
  };
}

/** What went wrong on a page, as it comes: errors, warnings, and what the policy blocked. */
export async function watchPage(page: Page): Promise<readonly string[]> {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`blocked by ${event.effectiveDirective}: ${event.blockedURI}`);
    });
  });
  return complaints;
}
