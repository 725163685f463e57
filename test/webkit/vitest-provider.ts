// Lets vitest's browser mode run test files in an installed WebKitGTK. Only what they need: a page of
// the size that is asked for. It has no module mocks, no `userEvent` and no CDP, which is Chromium's.
import { defineBrowserProvider } from '@vitest/browser';
import type { BrowserProvider, BrowserProviderOption, TestProject } from 'vitest/node';
import { launchWebKit, type WebKit } from './launch-webkit.ts';

/** For `browser.provider` in a vitest config, with the one instance `webkit`. */
export function driverWebKit(): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'driver-webkit',
    supportedBrowser: ['webkit'],
    providerFactory: createProvider,
  });
}

function createProvider(project: TestProject): BrowserProvider {
  let browser: Promise<WebKit> | undefined;
  // The runner itself calls it before each file.
  project.browser?.registerCommand(
    // @ts-expect-error -- only the packages for Playwright and WebdriverIO declare it.
    '__vitest_viewport',
    async (_context, { width, height }: { width: number; height: number }) => {
      await (await browser)?.resize({ width, height });
    },
  );
  return {
    name: 'driver-webkit',
    // One page after the other in one browser.
    supportsParallelism: false,
    getCommandsContext: () => ({}),
    async openPage(_sessionId, url) {
      browser ??= launchWebKit();
      await (await browser).open(url);
    },
    async close() {
      // One that did not start has been complained of already.
      await (await browser?.catch(() => undefined))?.close();
    },
  };
}
