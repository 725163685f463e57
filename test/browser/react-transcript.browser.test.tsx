import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { Transcript } from '../../src/react/components/transcript.tsx';
import type { ToolViewProps, ToolViews } from '../../src/react/kit/define-view.tsx';
import { createSessionStore } from '../../src/react/session-store.ts';
import { useSession } from '../../src/react/use-session.ts';
import type { SessionStore } from '../../src/react/session-store.ts';
import { mount } from '../support/mount.tsx';
import type { Mounted } from '../support/mount.tsx';
import {
  assistant,
  progress,
  prompt,
  startMessage,
  startText,
  textDelta,
  toolResult,
  toolUse,
} from '../support/sdk-messages.ts';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

function Shown(props: { readonly store: SessionStore; readonly views: ToolViews }) {
  return <Transcript turns={useSession(props.store).turns} views={props.views} />;
}

async function show(store: SessionStore, views: ToolViews): Promise<HTMLElement> {
  mounted = await mount(<Shown store={store} views={views} />);
  // Lazy views need a turn of the event loop, inside act, to arrive.
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve));
  });
  return mounted.element;
}

/** A view that counts how often each call was rendered. */
function createCountingViews(): {
  readonly views: ToolViews;
  readonly counts: Map<string, number>;
} {
  const counts = new Map<string, number>();
  const view = ({ call }: ToolViewProps) => {
    const id = JSON.stringify(call.input);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return <p>{`${call.toolName} ${call.state} ${call.progress.length}`}</p>;
  };
  return { views: { Read: () => Promise.resolve({ view }) }, counts };
}

describe('Transcript', () => {
  it('renders only what changed', async () => {
    const store = createSessionStore();
    const { views, counts } = createCountingViews();
    store.apply(prompt('go'));
    store.apply(assistant([toolUse('call-1', 'Read', 1), toolUse('call-2', 'Read', 2)]));
    store.apply(toolResult('call-1', 'x'));
    const element = await show(store, views);
    const before = counts.get('1');
    for (let step = 0; step < 5; step += 1) {
      await act(async () => store.apply(progress('call-2', step)));
    }
    expect(counts.get('1')).toBe(before);
    expect(element.textContent).toContain('Read input-available 5');
  });

  it('shows a tool without a view, and one whose view throws, by its input and result', async () => {
    const store = createSessionStore();
    const view = () => {
      throw new Error('a bug in a view');
    };
    store.apply(prompt('go'));
    store.apply(
      assistant([
        toolUse('call-1', 'Broken', { path: 'a.ts' }),
        toolUse('call-2', 'Own', { q: 'b' }),
      ]),
    );
    const element = await show(store, { Broken: () => Promise.resolve({ view }) });
    expect(
      [...element.querySelectorAll('.rp-call-title')].map((title) => title.textContent),
    ).toEqual(['Broken', 'Own']);
  });

  it('grows a reply in place: its finished blocks keep their elements', async () => {
    const store = createSessionStore();
    store.apply(prompt('go'));
    store.apply(startMessage());
    store.apply(startText(0));
    store.apply(textDelta(0, 'First.\n\nSec'));
    const element = await show(store, {});
    const first = element.querySelector('.rp-markdown p');
    await act(async () => store.apply(textDelta(0, 'ond.')));
    const paragraphs = [...element.querySelectorAll('.rp-markdown p')];
    expect(paragraphs.map((paragraph) => paragraph.textContent)).toEqual(['First.', 'Second.']);
    expect(paragraphs[0]).toBe(first);
  });

  it('offers the way to its end only while the end is out of sight', async () => {
    const store = createSessionStore();
    store.apply(prompt('go'));
    store.apply(assistant([{ type: 'text', text: 'A line.\n\n'.repeat(200) }]));
    const element = await show(store, {});
    const scroller = element.querySelector<HTMLElement>('[role=log]');
    if (!scroller) throw new Error('There is no log.');
    Object.assign(scroller.style, { height: '200px', overflow: 'auto' });
    const frames = () =>
      act(async () => {
        // Two: one for the scroll event or the observer, one for what it set off.
        for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      });
    await frames();
    scroller.scrollTop = 0;
    await frames();
    expect(element.querySelector('.rp-to-end')).not.toBeNull();

    // As when a person folds what is long: nothing scrolls, but the end is in sight.
    scroller.firstElementChild?.setAttribute('style', 'height: 50px; overflow: hidden');
    await frames();
    expect(element.querySelector('.rp-to-end')).toBeNull();
  });

  it('is no live region: a screen reader is not read every token', async () => {
    const element = await show(createSessionStore(), {});
    expect(element.querySelector('[role=log]')?.getAttribute('aria-live')).toBe('off');
  });
});
