// The timeline by keyboard, in a real page.
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { LaneSpan, Timeline } from '../../../src/trace/timeline.ts';
import { TimelineLanes } from '../../../src/react/components/timeline.tsx';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

const span = (label: string, from: number, to: number): LaneSpan => ({
  id: label,
  label,
  from,
  to,
});
const timeline: Timeline = {
  turn: { from: 0, to: 1000 },
  dropped: 0,
  lanes: [
    { id: 'model', kind: 'model', spans: [span('first', 0, 100), span('second', 800, 900)] },
    { id: 'page', kind: 'page', spans: [span('early', 150, 200), span('late', 700, 900)] },
  ],
};

it('is one stop of the Tab key, whose arrows go from stretch to stretch', async () => {
  mounted = await mount(<TimelineLanes timeline={timeline} />);
  const press = async (key: string) => {
    await act(async () => userEvent.keyboard(`{${key}}`));
    return document.activeElement?.getAttribute('aria-label')?.split(',')[0];
  };
  await act(async () => userEvent.tab());
  expect(document.activeElement?.getAttribute('aria-label')).toBe(
    'first, Model, 0.10 s from 0.00 s',
  );
  expect([
    await press('ArrowRight'),
    await press('ArrowRight'),
    // The other lane's stretch that began closest.
    await press('ArrowDown'),
    await press('Home'),
    await press('ArrowUp'),
    await press('End'),
  ]).toEqual(['second', 'second', 'late', 'early', 'first', 'second']);
  expect(mounted.element.querySelector('.rp-timeline-detail')?.textContent).toBe(
    'second, Model, 0.10 s from 0.80 s',
  );
  await act(async () => userEvent.tab());
  expect(mounted.element.contains(document.activeElement)).toBe(false);
});
