// A reply as a person sees it, with the library's own stylesheet.
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { Markdown } from '../../../src/react/kit/markdown.tsx';
import styles from '../../../src/react/react.css?inline';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
let sheet: HTMLStyleElement;
beforeEach(() => {
  sheet = document.createElement('style');
  sheet.textContent = styles;
  document.head.append(sheet);
});
afterEach(() => {
  mounted?.[Symbol.dispose]();
  sheet.remove();
  vi.restoreAllMocks();
});

async function show(text: string): Promise<void> {
  mounted = await mount(<Markdown text={text} />);
}

describe('Markdown on a page', () => {
  it('shows the items of a check list as it shows other items', async () => {
    await show('- [ ] to do\n- other');
    const looks = ['to do', 'other'].map((text) => {
      const { color, fontSize, display } = getComputedStyle(page.getByText(text).element());
      return [color, fontSize, display];
    });
    expect(looks[0]).toEqual(looks[1]);
  });

  it('begins a text on the right where its language does, and ends it on the left', async () => {
    await show('שלום עולם!\n\n- פריט `a.ts`!\n\nhello!');
    const [hebrew, item, english] = ['p', 'li', 'p:last-child'].map((selector) => {
      const block = mounted?.element.querySelector(selector);
      const last = block?.lastChild;
      if (!block || !last) throw new Error(`There is no ${selector}.`);
      const range = document.createRange();
      range.setStart(last, (last.textContent?.length ?? 0) - 1);
      range.setEndAfter(last);
      const { left } = range.getBoundingClientRect();
      range.selectNodeContents(block);
      const all = range.getBoundingClientRect();
      return {
        endsLeft: left === all.left,
        isOnTheRight: all.right === block.getBoundingClientRect().right,
      };
    });
    expect([hebrew, item]).toEqual([
      { endsLeft: true, isOnTheRight: true },
      { endsLeft: true, isOnTheRight: true },
    ]);
    expect(english).toEqual({ endsLeft: false, isOnTheRight: false });
  });

  it('copies the code that is pointed at, and says whether it could', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    await show('```ts\nconst a = 1;\n\n```\n\n```\nother\n```');
    const copy = page.getByRole('button', { name: 'Copy the code' }).first();
    // The pointer may stand anywhere.
    await act(async () => page.getByText('other').hover());
    await expect.poll(() => getComputedStyle(copy.element()).opacity).toBe('0');
    await act(async () => copy.click());
    expect(copied.mock.calls).toEqual([['const a = 1;\n']]);
    await expect.element(page.getByRole('status').first()).toHaveTextContent('Copied');
    expect(getComputedStyle(copy.element()).opacity).toBe('1');

    copied.mockRejectedValue(new DOMException('no', 'NotAllowedError'));
    await act(async () => copy.click());
    await expect.element(page.getByRole('status').first()).toHaveTextContent('Not allowed');
  });
});
