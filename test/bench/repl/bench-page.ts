// The browser of the Repl bench: a page in a fresh profile, so that nothing is cached or stored.
import { chromium, type BrowserContext, type Page } from 'playwright';
import { findBrowser } from '../../../scripts/find-browser.mjs';
import type { ReplBenchPage } from '../pages/repl/page.ts';
import { createProfile } from '../workspace/bench-browser.ts';

/** A page that does one thing at a time. */
export interface BenchPage {
  /** Calls a method of `window.replBench`. */
  call<Method extends keyof ReplBenchPage>(
    method: Method,
    ...parameters: Parameters<ReplBenchPage[Method]>
  ): Promise<Awaited<ReturnType<ReplBenchPage[Method]>>>;
}

/** The page of the bench, in a browser of its own that ends with the work. */
export function withBenchPage<Result>(
  url: string,
  work: (page: BenchPage) => Promise<Result>,
): Promise<Result> {
  return withTab(async (tab) => {
    await tab.goto(url);
    await tab.waitForFunction(() => window.replBench !== undefined);
    return work({
      // The cast: both ends are this bench's own, and the page's types hold for the caller.
      call: (method, ...parameters) =>
        tab.evaluate(
          async ([name, values]) => {
            const methods = window.replBench as unknown as Record<string, AnyMethod>;
            return methods[name]?.(...values);
          },
          [method as string, parameters as readonly unknown[]] as const,
        ) as Promise<never>,
    });
  });
}

type AnyMethod = (...parameters: readonly unknown[]) => Promise<unknown>;

/** An empty tab in a browser of its own, on a profile that is deleted afterwards. */
export async function withTab<Result>(
  work: (tab: Page) => Promise<Result>,
  switches: readonly string[] = [],
): Promise<Result> {
  const profile = createProfile();
  let context: BrowserContext | undefined;
  try {
    const executablePath = findBrowser();
    context = await chromium.launchPersistentContext(profile.path, {
      ...(executablePath && { executablePath }),
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-sync',
        '--disable-background-networking',
        '--disable-component-update',
        ...switches,
      ],
    });
    const tab = context.pages()[0] ?? (await context.newPage());
    tab.on('pageerror', (error) => console.error(`page: ${error.message}`));
    return await work(tab);
  } finally {
    await context?.close();
    profile[Symbol.dispose]();
  }
}
