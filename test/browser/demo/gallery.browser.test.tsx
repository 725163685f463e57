// The gallery as a page. Every tool in every state is drawn, says what state it is in, and fits a
// phone. It has nothing that axe objects to, in light and in dark.
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Gallery } from '../../../demo/gallery/gallery.tsx';
import { galleryStates } from '../../../demo/gallery/play-call.ts';
import demoStyles from '../../../demo/styles/demo.css?inline';
import galleryStyles from '../../../demo/gallery/gallery.css?inline';
import { definitions } from '../../../src/tools/definitions.ts';
import { toolViews } from '../../../src/tools/views.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

const labels = {
  streaming: 'Preparing',
  queued: 'Waiting for its turn',
  waiting: 'Waiting for your answer',
  running: 'Running',
  done: '',
  refused: 'Refused',
  failed: 'Failed',
  stopped: 'Stopped',
} as const satisfies Record<keyof typeof galleryStates, string>;

let mounted: Mounted;
const complaints: string[] = [];

beforeAll(async () => {
  for (const kind of ['error', 'warn'] as const) {
    vi.spyOn(console, kind).mockImplementation((...told) => void complaints.push(told.join(' ')));
  }
  await page.viewport(1280, 900);
  await Promise.all(Object.values(toolViews).map((load) => load()));
  mounted = await mount(
    <>
      <style>{demoStyles}</style>
      <style>{galleryStyles}</style>
      <Gallery />
    </>,
  );
  // The definitions come when they come: the test waits for what is seen.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  await vi.waitFor(
    () => {
      if (specimensOf('Write').length === 0) throw new Error('The tools are not there yet.');
    },
    { timeout: 240_000 },
  );
  await page.getByRole('button', { name: 'Unfold all' }).click();
});

afterAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  mounted[Symbol.dispose]();
  vi.restoreAllMocks();
});

const specimensOf = (name: string) =>
  document.querySelectorAll<HTMLElement>(`section[id="${name}"] [data-specimen]`);

/** What axe objects to, each with the places. */
async function findBreaches(context: axe.ElementContext, options: axe.RunOptions) {
  const { violations } = await axe.run(context, { resultTypes: ['violations'], ...options });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
}

describe('the gallery', () => {
  it.each(definitions.map(({ name }) => name))('shows %s in each state, in words', (name) => {
    const told = [...specimensOf(name)].slice(0, 8).map((specimen) => {
      const call = specimen.querySelector<HTMLElement>('.rp-call');
      const label = labels[specimen.dataset['specimen'] as keyof typeof labels];
      return [call?.dataset['state'], call?.textContent.includes(label)];
    });
    expect(told).toEqual(Object.values(galleryStates).map((state) => [state, true]));
  });

  it('puts a question where it is asked for, and takes it away when that is answered', async () => {
    const waiting = specimensOf('AskUserQuestion')[2];
    waiting?.querySelector<HTMLElement>(':scope > button')?.focus();
    await userEvent.keyboard('{Enter}');
    // It can't be answered by a key that was meant for something else.
    await expect.element(page.getByRole('button', { name: 'Don’t answer' })).toBeEnabled();
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => document.querySelector('[role=alertdialog]')).toBeNull();
  });

  it('has nothing that axe objects to, in light and in dark', async () => {
    const asked = ['AskUserQuestion', 'Edit', 'ExitPlanMode'];
    const switchQuestions = () => {
      for (const name of asked)
        specimensOf(name)[2]?.querySelector<HTMLElement>(':scope > button')?.click();
    };
    switchQuestions();
    const rules = { 'color-contrast': { enabled: false } };
    expect(await findBreaches(mounted.element, { rules })).toEqual([]);
    // Contrast is slow to measure, by all that is drawn. The kit's colours are all in these.
    const names = [...asked, 'Agent', 'Forecast', 'Grep', 'Repl', 'TaskList'];
    const include = names.map((name) => `section[id="${name}"]`);
    const others = [...mounted.element.querySelectorAll<HTMLElement>('section[id]')].filter(
      ({ id }) => !names.includes(id),
    );
    for (const section of others) section.hidden = true;
    for (const theme of ['light', 'dark']) {
      document.documentElement.dataset['theme'] = theme;
      expect(await findBreaches({ include }, { runOnly: ['color-contrast'] })).toEqual([]);
    }
    delete document.documentElement.dataset['theme'];
    for (const section of others) section.hidden = false;
    switchQuestions();
  });

  it('fits a phone: what is wide scrolls in its own box', async () => {
    await page.viewport(375, 800);
    const tooWide = [...document.querySelectorAll('.rp-call')].filter(
      (call) => call.getBoundingClientRect().right > 375,
    );
    expect(tooWide).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(375);
    await page.viewport(1280, 900);
  });

  it('says nothing on the console', () => {
    expect(complaints).toEqual([]);
  });
});
