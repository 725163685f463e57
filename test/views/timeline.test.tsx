import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { TimelineLanes } from '../../src/react/components/timeline.tsx';
import type { Timeline } from '../../src/trace/timeline.ts';

const timeline: Timeline = {
  turn: { from: 1000, to: null },
  dropped: 0,
  lanes: [
    {
      id: 'model',
      kind: 'model',
      spans: [
        // Of the turn before.
        { id: '0', label: 'claude', from: 100, to: 900, state: 'output-available' },
        { id: '1', label: 'claude', from: 1000, to: 1500, state: 'output-available' },
      ],
    },
    {
      id: 'worker 1',
      kind: 'worker',
      worker: '1',
      spans: [
        { id: '2', label: 'Grep', callId: 'a', from: 1250, to: 1750, state: 'output-error' },
        { id: '3', label: 'Read', callId: 'b', from: 1500, to: null },
      ],
    },
  ],
};

const render = (given: Timeline, now = 2000) =>
  renderToStaticMarkup(<TimelineLanes timeline={given} now={now} />);
const labels = (markup: string) =>
  [...markup.matchAll(/role="gridcell"[^>]*aria-label="([^"]*)"/g)].map(([, label]) => label);

describe('TimelineLanes', () => {
  it('says of each stretch of the turn what it was, where, how long and how it ended', () => {
    expect(labels(render(timeline))).toEqual([
      'claude, Model, 0.50 s from 0.00 s, done',
      'Grep, Worker 1, 0.50 s from 0.25 s, failed',
      // Its length would be read out anew with each tick.
      'Read, Worker 1, from 0.50 s, going on',
    ]);
  });

  it('has a row by name for each lane, and one stop for the Tab key', () => {
    const markup = render(timeline);
    const names = [...markup.matchAll(/role="rowheader"[^>]*>([^<]*)</g)].map(([, name]) => name);
    expect(names).toEqual(['Model', 'Worker 1']);
    expect(markup.match(/tabindex="0"/g)).toHaveLength(1);
  });

  it('draws each where it was in time, and what overlaps one below the other', () => {
    const boxes = [...render(timeline).matchAll(/style="(left[^"]*)"/g)].map(([, box]) => box);
    expect(boxes).toEqual([
      'left:0.000%;width:50.000%;top:2px',
      'left:25.000%;width:50.000%;top:2px',
      'left:50.000%;width:50.000%;top:16px',
    ]);
  });

  it('shows nothing before the first turn', () => {
    expect(render({ lanes: [], turn: null, dropped: 0 })).toBe('');
  });
});
