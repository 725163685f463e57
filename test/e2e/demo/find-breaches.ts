// What axe objects to on a page of a test's browser.
import axe from 'axe-core';
import type { Page } from 'playwright';

/** Each with its places; of the elements that `where` selects, or of all. */
export async function findBreaches(page: Page, where = 'html'): Promise<string[]> {
  const { source } = axe;
  await page.evaluate(source);
  return page.evaluate(async (selector) => {
    const { axe: onPage } = globalThis as unknown as { readonly axe: typeof axe };
    const options = { resultTypes: ['violations' as const], iframes: false };
    const { violations } = await onPage.run(selector, options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, where);
}
