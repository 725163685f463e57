import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { useFocusAcross, useRegions } from '../../../demo/layout/use-regions.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

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

/** A conversation in its region; null: it is being opened. */
function Agent({ id }: { readonly id: string | null }) {
  const across = useFocusAcross('agent', id);
  return (
    <>
      <input aria-label="Elsewhere" />
      <section data-region="agent" tabIndex={-1} {...across}>
        {id !== null && <textarea key={id} aria-label={id} />}
      </section>
    </>
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

describe('useFocusAcross', () => {
  it('leads a person from one conversation into the next, also while that is opened', async () => {
    mounted = await mount(<Agent id="one" />);
    mounted.element.querySelector('textarea')?.focus();
    await mounted.render(<Agent id="two" />);
    expect(document.activeElement?.ariaLabel).toBe('two');
    await mounted.render(<Agent id={null} />);
    await mounted.render(<Agent id="three" />);
    expect(document.activeElement?.ariaLabel).toBe('three');
  });

  it('leaves the focus to whoever is elsewhere, and to nobody before', async () => {
    mounted = await mount(<Agent id="one" />);
    await mounted.render(<Agent id="two" />);
    expect(document.activeElement).toBe(document.body);
    mounted.element.querySelector('textarea')?.focus();
    mounted.element.querySelector('input')?.focus();
    await mounted.render(<Agent id="three" />);
    expect(document.activeElement?.ariaLabel).toBe('Elsewhere');
  });
});
