import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { useRegions } from '../../demo/layout/use-regions.ts';
import { mount } from '../support/mount.tsx';
import type { Mounted } from '../support/mount.tsx';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

function Page({ hasQuestion }: { readonly hasQuestion: boolean }) {
  const { shown } = useRegions();
  return (
    <main data-shown={shown}>
      {['files', 'editor', 'agent'].map((name) => (
        <section key={name} data-region={name} tabIndex={-1} />
      ))}
      {hasQuestion && <div role="alertdialog" aria-label="Allow?" tabIndex={-1} />}
    </main>
  );
}

/** Presses F6 (or another key) and says where focus is after the next frame. */
async function press(key: string): Promise<string | undefined> {
  await act(async () => {
    await userEvent.keyboard(key);
    await new Promise(requestAnimationFrame);
  });
  const active = document.activeElement;
  return active instanceof HTMLElement ? (active.dataset['region'] ?? active.role ?? '') : '';
}

describe('useRegions', () => {
  it('goes round the regions by F6, and back by Shift+F6', async () => {
    mounted = await mount(<Page hasQuestion={false} />);
    const round = [];
    for (let step = 0; step < 4; step += 1) round.push(await press('{F6}'));
    expect(round).toEqual(['files', 'editor', 'agent', 'files']);
    expect(await press('{Shift>}{F6}{/Shift}')).toBe('agent');
  });

  it('stops at an open question', async () => {
    mounted = await mount(<Page hasQuestion={true} />);
    expect(await press('{Shift>}{F6}{/Shift}')).toBe('alertdialog');
    expect(await press('{Shift>}{F6}{/Shift}')).toBe('agent');
    expect(await press('{F6}')).toBe('alertdialog');
    expect(await press('{F6}')).toBe('files');
  });
});
