import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { CodeBlock } from '../../../src/react/kit/code-block.tsx';
import { LongList } from '../../../src/react/kit/long-list.tsx';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

async function showMore(): Promise<void> {
  const more = mounted?.element.querySelector<HTMLButtonElement>('.rp-more');
  more?.focus();
  await act(async () => more?.click());
}

it('keeps the focus at a list whose last button for more is gone', async () => {
  mounted = await mount(<CodeBlock text={'line\n'.repeat(4_401)} />);
  await showMore();
  // One line is left.
  expect(document.activeElement?.textContent).toBe('Show 1 more lines');
  await showMore();
  expect(mounted.element.querySelector('.rp-more')).toBeNull();
  expect(document.activeElement).toBe(mounted.element.querySelector('pre'));
});

it('keeps it also at one that is no tab stop', async () => {
  mounted = await mount(
    <LongList items={['a', 'b']} step={1} noun="files">
      {(shown) => (
        <ul>
          {shown.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
    </LongList>,
  );
  await showMore();
  expect(document.activeElement?.tagName).toBe('UL');
});
