import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Collapsible } from '../../../src/react/kit/collapsible.tsx';
import { FileLink, OpenFileContext } from '../../../src/react/kit/file-link.tsx';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

async function show(): Promise<{ readonly opened: string[] }> {
  const opened: string[] = [];
  mounted = await mount(
    <OpenFileContext value={{ cwd: '/workspace', open: (path) => opened.push(path) }}>
      <Collapsible
        summary={
          <span>
            Read <FileLink path="/workspace/a.ts" />
          </span>
        }
      >
        the body
      </Collapsible>
    </OpenFileContext>,
  );
  return { opened };
}

const toggle = () => page.getByRole('button', { name: 'Read a.ts' });
const isOpen = () => mounted?.element.textContent?.includes('the body');

describe('Collapsible', () => {
  it('is opened and shut by keyboard, by a button that its line names', async () => {
    await show();
    await act(async () => userEvent.tab());
    expect(document.activeElement).toBe(toggle().element());
    await act(async () => userEvent.keyboard('{Enter}'));
    expect([isOpen(), toggle().element().getAttribute('aria-expanded')]).toEqual([true, 'true']);
    await act(async () => userEvent.keyboard(' '));
    expect(isOpen()).toBe(false);
  });

  it('has its links beside that button, not inside it: each does its own work', async () => {
    const { opened } = await show();
    const link = page.getByRole('button', { name: 'a.ts', exact: true });
    expect(link.element().parentElement?.closest('button')).toBeNull();
    await act(async () => link.click());
    expect([opened, isOpen()]).toEqual([['/workspace/a.ts'], false]);
  });
});
