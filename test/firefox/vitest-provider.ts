// Lets vitest's browser mode run test files in an installed Firefox. Only what they need: a page of
// the size that is asked for. It has no module mocks, no `userEvent` and no CDP, which is Chromium's.
import { defineBrowserProvider } from '@vitest/browser';
import type { Browser, Page } from 'puppeteer-core';
import type { BrowserProvider, BrowserProviderOption, TestProject } from 'vitest/node';
import { launchFirefox, type FirefoxOptions } from './launch-firefox.ts';

/** For `browser.provider` in a vitest config, with the one instance `firefox`. */
export function puppeteerFirefox(options: FirefoxOptions = {}): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'puppeteer-firefox',
    supportedBrowser: ['firefox'],
    providerFactory: (project) => createProvider(project, options),
  });
}

function createProvider(project: TestProject, options: FirefoxOptions): BrowserProvider {
  let browser: Promise<Browser> | undefined;
  const pages = new Map<string, Page>();
  // The runner itself calls it before each file.
  project.browser?.registerCommand(
    // @ts-expect-error -- only the packages for Playwright and WebdriverIO declare it.
    '__vitest_viewport',
    async ({ sessionId }, { width, height }: { width: number; height: number }) => {
      await pages.get(sessionId)?.setViewport({ width, height });
    },
  );
  return {
    name: 'puppeteer-firefox',
    // One page after the other in one browser.
    supportsParallelism: false,
    getCommandsContext: () => ({}),
    async openPage(sessionId, url) {
      browser ??= launchFirefox(options);
      const page = await (await browser).newPage();
      pages.set(sessionId, page);
      await page.goto(url);
    },
    async close() {
      // One that did not start has been complained of already.
      await (await browser?.catch(() => undefined))?.close();
    },
  };
}
