// A reply as a person sees it, with the library's own stylesheet.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { Markdown } from '../../src/react/kit/markdown.tsx';
import styles from '../../src/react/react.css?inline';
import { mount } from '../support/mount.tsx';
import type { Mounted } from '../support/mount.tsx';

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
});
