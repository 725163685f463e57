import { act } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Tools } from '../../../src/core/tool/tool.ts';
import { Transcript } from '../../../src/react/components/transcript.tsx';
import type { ToolViewProps, ToolViews } from '../../../src/react/kit/define-view.tsx';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import { useSession } from '../../../src/react/use-session.ts';
import type { TranscriptStore } from '../../../src/react/transcript-store.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';
import { lookTool } from '../../support/stages/test-tools.ts';
import {
  assistant,
  progress,
  prompt,
  startMessage,
  startText,
  success,
  textDelta,
  toolResult,
  toolUse,
} from '../../support/stages/sdk-messages.ts';

let mounted: Mounted | undefined;
afterEach(() => {
  mounted?.[Symbol.dispose]();
  vi.restoreAllMocks();
});

interface ShownProps {
  readonly store: TranscriptStore;
  readonly views: ToolViews;
  readonly tools: Tools;
}

function Shown({ store, views, tools }: ShownProps) {
  return <Transcript turns={useSession(store).turns} views={views} tools={tools} />;
}

async function show(
  store: TranscriptStore,
  views: ToolViews,
  tools: Tools = [],
): Promise<HTMLElement> {
  mounted = await mount(<Shown store={store} views={views} tools={tools} />);
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

/** Two: one for the scroll event or the observer, one for what it set off. */
function frames(): Promise<void> {
  return act(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  });
}

/** What scrolls, made as low as a small window. */
function shrink(element: HTMLElement): HTMLElement {
  const scroller = element.querySelector<HTMLElement>('[role=log]');
  if (!scroller) throw new Error('There is no log.');
  Object.assign(scroller.style, { height: '200px', overflow: 'auto' });
  return scroller;
}

describe('Transcript', () => {
  it('renders only what changed', async () => {
    const store = createTranscriptStore();
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

  it('folds calls that only looked into one line, which grows, and shows them to whoever opens it', async () => {
    const store = createTranscriptStore();
    const tool = lookTool({
      name: 'Read',
      isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
      getToolUseSummary: ({ path }) => path ?? null,
    });
    store.apply(prompt('go'));
    const paths = ['a.ts', 'b.ts', 'c.ts'];
    store.apply(assistant(paths.map((path) => toolUse(path, 'Read', { path }))));
    for (const path of paths.slice(0, 2)) store.apply(toolResult(path, 'x'));
    const { views } = createCountingViews();
    const element = await show(store, views, [tool]);
    const titles = () =>
      [...element.querySelectorAll('.rp-folded-title')].map(({ textContent }) => textContent);
    expect(titles()).toEqual(['Read 2 files: a.ts, b.ts']);
    // What still runs has its own line.
    expect(element.querySelectorAll('.rp-turn p')).toHaveLength(1);

    const toggle = element.querySelector<HTMLButtonElement>('.rp-fold-toggle');
    await act(async () => toggle?.click());
    expect(element.querySelectorAll('.rp-fold-body p')).toHaveLength(2);

    await act(async () => store.apply(toolResult('c.ts', 'x')));
    expect(titles()).toEqual(['Read 3 files: a.ts, b.ts, c.ts']);
    // It stays open.
    expect(element.querySelectorAll('.rp-fold-body p')).toHaveLength(3);
  });

  it('shows a tool without a view, and one whose view throws, by its input and result', async () => {
    const store = createTranscriptStore();
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
    const store = createTranscriptStore();
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

  it('offers the way to its end while that is out of sight, and goes there with a new prompt', async () => {
    const store = createTranscriptStore();
    store.apply(prompt('go'));
    store.apply(assistant([{ type: 'text', text: 'A line.\n\n'.repeat(200) }]));
    const element = await show(store, {});
    const scroller = shrink(element);
    await frames();
    scroller.scrollTop = 0;
    await frames();
    expect(element.querySelector('.rp-to-end')).not.toBeNull();

    await act(async () => store.apply(prompt('and now?')));
    await frames();
    expect(element.querySelector('.rp-to-end')).toBeNull();
    scroller.scrollTop = 0;
    await frames();
    await act(async () => store.apply(assistant([{ type: 'text', text: 'A word.' }])));
    await frames();
    expect(element.querySelector('.rp-to-end')).not.toBeNull();

    // As when a person folds what is long: nothing scrolls, but the end is in sight.
    scroller.firstElementChild?.setAttribute('style', 'height: 50px; overflow: hidden');
    await frames();
    expect(element.querySelector('.rp-to-end')).toBeNull();
  });

  it('stays at its end when a question opens below it in the frame in which that has moved', async () => {
    const store = createTranscriptStore();
    store.apply(prompt('go'));
    store.apply(assistant([{ type: 'text', text: 'A line.\n\n'.repeat(200) }]));
    const element = await show(store, {});
    const scroller = shrink(element);
    await frames();
    await act(async () => {
      store.apply(assistant([{ type: 'text', text: 'The last line.\n\n'.repeat(9) }]));
    });
    // The event of that scrolling is still to come.
    scroller.style.height = '80px';
    await frames();
    expect(element.querySelector('.rp-to-end')).toBeNull();
    expect(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight).toBeLessThan(2);
  });

  it('stays at its end when what is below it shrinks, and grows again, in one frame', async () => {
    const store = createTranscriptStore();
    store.apply(prompt('go'));
    store.apply(assistant([{ type: 'text', text: 'A line.\n\n'.repeat(200) }]));
    const element = await show(store, {});
    const scroller = shrink(element);
    await frames();
    scroller.style.height = '600px';
    // Layout moves what is shown, since there is nothing below the end.
    expect(scroller.scrollTop).toBeGreaterThan(0);
    scroller.style.height = '300px';
    await frames();
    expect(element.querySelector('.rp-to-end')).toBeNull();
    expect(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight).toBeLessThan(2);
  });

  it('copies all that was said in a turn, once that has ended', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const store = createTranscriptStore();
    store.apply(prompt('go'));
    store.apply(assistant([{ type: 'text', text: 'I **look**.' }, toolUse('call-1', 'Read', 1)]));
    store.apply(toolResult('call-1', 'x'));
    store.apply(assistant([{ type: 'text', text: '- done\n' }]));
    const element = await show(store, {});
    const copy = () => element.querySelector<HTMLButtonElement>('[aria-label="Copy the reply"]');
    expect(copy()).toBeNull();

    await act(async () => store.apply(success()));
    await act(async () => copy()?.click());
    expect(copied.mock.calls).toEqual([['I **look**.\n\n- done']]);
    expect(element.querySelector('.rp-turn-end [role=status]')?.textContent).toBe('Copied');
  });

  it.each([
    ['lines', Array.from({ length: 3000 }, (_, at) => `line ${at}`).join('\n'), 'line 9…'],
    ['characters', '😀'.repeat(1500) + 'x', `${'😀'.repeat(500)}…`],
  ])(
    'shows the start of a prompt of many %s, and all of it when asked',
    async (unit, text, end) => {
      const store = createTranscriptStore();
      store.apply(prompt(text));
      const element = await show(store, {});
      const shown = () => element.querySelector('.rp-prompt > div')?.textContent;
      const button = element.querySelector<HTMLButtonElement>('.rp-prompt > button');
      expect(button?.textContent).toBe(`Show all ${unit === 'lines' ? 3000 : text.length} ${unit}`);
      expect(button?.getAttribute('aria-expanded')).toBe('false');
      expect(shown()?.endsWith(end)).toBe(true);
      expect(shown()?.length).toBeLessThanOrEqual(1001);

      await act(async () => button?.click());
      expect(shown()).toBe(text);
      expect(button?.getAttribute('aria-expanded')).toBe('true');
      await act(async () => button?.click());
      expect(shown()?.endsWith(end)).toBe(true);
    },
  );

  it('stays where a long prompt was cut when that is unfolded, and does not go to the end', async () => {
    const store = createTranscriptStore();
    const lines = Array.from({ length: 3000 }, (_, at) => `line ${at}`);
    store.apply(prompt(lines.map((line) => `${line}\n`).join('')));
    const element = await show(store, {});
    const scroller = shrink(element);
    element.querySelector('.rp-prompt')?.setAttribute('style', 'white-space: pre-wrap');
    await frames();
    scroller.scrollTop = scroller.scrollHeight;
    await frames();
    await act(async () => element.querySelector<HTMLElement>('.rp-prompt > button')?.click());
    await frames();
    expect(scroller.scrollTop).toBeLessThan(1000);
    expect(scroller.scrollHeight).toBeGreaterThan(10_000);
  });

  it('shows a prompt of 20 lines as it is', async () => {
    const store = createTranscriptStore();
    store.apply(prompt('a line\n'.repeat(20).trimEnd()));
    const element = await show(store, {});
    expect(element.querySelector('.rp-prompt button')).toBeNull();
  });

  it('has nothing to copy of a turn without a word', async () => {
    const store = createTranscriptStore();
    store.apply(prompt('go'));
    store.apply(success());
    const element = await show(store, {});
    expect(element.querySelector('.rp-turn-end button')).toBeNull();
  });

  it('is no live region: a screen reader is not read every token', async () => {
    const element = await show(createTranscriptStore(), {});
    expect(element.querySelector('[role=log]')?.getAttribute('aria-live')).toBe('off');
  });
});
