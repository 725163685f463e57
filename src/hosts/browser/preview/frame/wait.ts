// Waits for what an app does later: a text that comes, or goes.
import type { PreviewAction } from '../../../../core/host-ports/preview.ts';
import { later } from './screen/view.ts';
import type { PageTree } from './tree.ts';

const lookMs = 100;
const msPerSecond = 1_000;
const usualSeconds = 10;

/** @throws Error if what it waits for doesn't come */
export async function wait(
  { text, textGone, time = usualSeconds }: Extract<PreviewAction, { type: 'wait' }>,
  tree: PageTree,
): Promise<void> {
  if (text === undefined && textGone === undefined) {
    await later(time * msPerSecond);
    return;
  }
  const began = performance.now();
  const isThere = () =>
    (text === undefined || tree.has(text)) && (textGone === undefined || !tree.has(textGone));
  while (!isThere()) {
    if (performance.now() - began >= time * msPerSecond) {
      const what =
        text === undefined
          ? `${JSON.stringify(textGone)} is still on the page`
          : `${JSON.stringify(text)} isn't on the page`;
      throw new Error(`${what}, after ${time} s. Read the page and its console.`);
    }
    await later(lookMs);
  }
}
