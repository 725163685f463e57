// A conversation of many turns: what is in the document, and what a reader sees who scrolls up.
import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { Transcript } from '../../../src/react/components/transcript.tsx';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import type { TranscriptStore } from '../../../src/react/transcript-store.ts';
import { useSession } from '../../../src/react/use-session.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';
import { prompt, success } from '../../support/stages/sdk-messages.ts';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

function Shown({ store }: { readonly store: TranscriptStore }) {
  return <Transcript turns={useSession(store).turns} views={{}} />;
}

function say(store: TranscriptStore, name: string): void {
  store.apply(prompt(name));
  store.apply(success());
}

async function open(count: number) {
  const store = createTranscriptStore();
  for (let at = 1; at <= count; at += 1) say(store, `Prompt ${at}.`);
  mounted = await mount(<Shown store={store} />);
  const { element } = mounted;
  const scroller = element.querySelector<HTMLElement>('[role=log]');
  if (!scroller) throw new Error('There is no log.');
  Object.assign(scroller.style, { height: '200px', overflow: 'auto' });
  await frames();
  return {
    store,
    scroller,
    prompts: () =>
      [...element.querySelectorAll('.rp-prompt')].map(({ textContent }) =>
        textContent.replace('You: ', ''),
      ),
    button: () => element.querySelector<HTMLButtonElement>('.rp-more'),
    topOf: (name: string) =>
      [...element.querySelectorAll('.rp-prompt')]
        .find(({ textContent }) => textContent.endsWith(name))
        ?.getBoundingClientRect().top,
  };
}

/** One for the scroll event or the observers, one for what they set off. */
function frames(): Promise<void> {
  return act(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
}

describe('a conversation of a hundred turns', () => {
  it('begins with the newest, and the older ones leave as new ones come', async () => {
    const { store, prompts, button } = await open(100);
    expect(prompts()).toHaveLength(20);
    expect(prompts().at(-1)).toBe('Prompt 100.');
    expect(button()?.textContent).toBe('Show earlier turns (80)');
    await act(async () => say(store, 'One more.'));
    expect([prompts().length, prompts().at(-1)]).toEqual([20, 'One more.']);
  });

  it('shows earlier turns to a reader who scrolls up, and moves nothing that they read', async () => {
    const { scroller, prompts, topOf } = await open(100);
    await act(async () => {
      scroller.scrollTop = 600;
      await new Promise(requestAnimationFrame);
    });
    await frames();
    expect(prompts()).toHaveLength(20);
    await act(async () => {
      scroller.scrollTop = 0;
      await new Promise(requestAnimationFrame);
    });
    const [first] = prompts();
    const top = topOf(first ?? '');
    await frames();
    expect(prompts().length).toBeGreaterThan(20);
    expect(topOf(first ?? '')).toBe(top);
  });

  it('keeps the focus when the last turns have come', async () => {
    const { scroller, prompts, button } = await open(30);
    button()?.focus();
    await act(async () => button()?.click());
    expect([button(), prompts().length]).toEqual([null, 30]);
    expect(document.activeElement).toBe(scroller);
  });
});
