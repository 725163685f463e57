// What the demo's end-to-end tests begin with. It is the demo, built and served for a file of
// tests, and a page that talks to the test's own model.
import type { BrowserContext, Locator, Page } from 'playwright';
import { afterAll } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { it } from '../chromium.ts';

/** From the file's first test to its last. */
export function serveDemo(): Pick<BuiltPage, 'url'> {
  let demo: BuiltPage | undefined;
  it.beforeAll(async () => {
    demo = await serveBuiltPage({ page: 'demo/index.html' });
  });
  afterAll(() => demo?.close());
  return {
    get url() {
      if (!demo) throw new Error('The demo is served when the first test begins.');
      return demo.url;
    },
  };
}

/** The pages that are opened from now on have chosen this server, as a person does in the settings. */
export async function chooseServer(
  pages: Pick<Page | BrowserContext, 'addInitScript'>,
  { url: baseUrl }: { readonly url: string },
  apiKey = 'key-1',
): Promise<void> {
  const model = { kind: 'server', baseUrl, apiKey, model: 'any' };
  await pages.addInitScript((choice) => {
    localStorage.setItem('rockpool-demo:model', JSON.stringify(choice));
  }, model);
}

/** What stands in the conversation. What screen readers are told at a turn's end isn't among it. */
export function said(page: Page, text: string): Locator {
  return page.getByRole('log').getByText(text);
}
