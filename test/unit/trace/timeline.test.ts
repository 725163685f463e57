import { describe, expect, it } from 'vitest';
import {
  createTimeline,
  createTimelineState,
  foldTimeline,
  toTimeline,
} from '../../../src/trace/timeline.ts';
import type { Timeline } from '../../../src/trace/timeline.ts';
import type { TraceEvent, TraceInput } from '../../../src/trace/trace.ts';

/** The lanes as lines: `lane: label from-to state`. */
function draw({ lanes }: Timeline): string[] {
  return lanes.flatMap(({ id, spans }) =>
    spans.map(({ label, from, to, state }) =>
      `${id}: ${label} ${from}-${to ?? ''} ${state ?? ''}`.trimEnd(),
    ),
  );
}

/** Events a millisecond apart. */
function fold(events: readonly TraceInput[]) {
  const state = createTimelineState();
  for (const [at, event] of events.entries()) foldTimeline(state, { ...event, at } as TraceEvent);
  return state;
}

const start = (callId: string, toolName = 'Read') =>
  ({ type: 'call-start', callId, toolName }) as const;
const delta = (callId: string, change: object) =>
  ({ type: 'call-delta', callId, ...change }) as const;
const end = (callId: string, state = 'output-available' as const) =>
  ({ type: 'call-end', callId, state }) as const;

describe('foldTimeline', () => {
  it('shows where a call waits, for whom, and where it runs', () => {
    const state = fold([
      { type: 'turn-start' },
      { type: 'request-start', model: 'm' },
      start('a'),
      delta('a', { isAsked: true }),
      { type: 'request-end', reply: {} },
      delta('a', { isAsked: false }),
      delta('a', { phase: 'queued' }),
      delta('a', { phase: 'running' }),
      delta('a', { worker: '2' }),
      delta('a', { phase: 'settling' }),
      end('a'),
      { type: 'turn-end', reason: 'completed' },
    ]);
    expect(draw(toTimeline(state))).toEqual([
      'model: m 1-4 output-available',
      'asked: Read 3-5',
      'queued: Read 6-7',
      'worker 2: Read 7-9 output-available',
    ]);
    expect(state.calls.size).toBe(0);
    expect(toTimeline(state).turn).toEqual({ from: 0, to: 11 });
  });

  it('keeps the requests of agents that work side by side apart', () => {
    const state = fold([
      { type: 'request-start', model: 'm', parentId: 'a' },
      { type: 'request-start', model: 'm', parentId: 'b' },
      { type: 'request-start', model: 'main' },
      { type: 'request-end', reply: {}, parentId: 'b', error: 'aborted' },
      { type: 'request-end', reply: {} },
      { type: 'request-end', reply: {}, parentId: 'a' },
    ]);
    expect(draw(toTimeline(state))).toEqual([
      'model: m 0-5 output-available',
      'model: m 1-3 stopped',
      'model: main 2-4 output-available',
    ]);
    expect(state.requests.size).toBe(0);
  });

  it('tells what runs on the page, and in which worker a call was started anew', () => {
    const state = fold([
      start('a', 'TaskStop'),
      delta('a', { phase: 'running' }),
      start('b', 'Grep'),
      delta('b', { phase: 'running' }),
      delta('b', { worker: '1' }),
      delta('b', { worker: '2' }),
      { ...end('a'), state: 'stopped' },
    ]);
    expect(draw(toTimeline(state))).toEqual([
      'page: TaskStop 1-6 stopped',
      'worker 1: Grep 3-5',
      'worker 2: Grep 5-',
    ]);
  });

  it('leaves out a wait that took no time', () => {
    const state = createTimelineState();
    for (const event of [
      start('a'),
      delta('a', { phase: 'queued' }),
      delta('a', { phase: 'running' }),
    ]) {
      foldTimeline(state, { ...event, at: 5 } as TraceEvent);
    }
    expect(draw(toTimeline(state))).toEqual(['page: Read 5-']);
  });

  it('asks about changes while a call settles, and counts that as asking', () => {
    const state = fold([
      start('a', 'Repl'),
      delta('a', { phase: 'running' }),
      delta('a', { phase: 'settling' }),
      delta('a', { isAsked: true }),
      delta('a', { isAsked: false }),
      { ...end('a'), state: 'output-denied' },
    ]);
    expect(draw(toTimeline(state))).toEqual(['asked: Repl 3-4 output-denied', 'page: Repl 1-2']);
  });

  it.each([
    ['aborted', 'stopped'],
    ['model-server', 'output-error'],
  ])('ends a request that was broken off by %s as %s', (error, expected) => {
    const state = fold([
      { type: 'request-start', model: 'm' },
      { type: 'request-end', reply: {}, error },
    ]);
    expect(draw(toTimeline(state))).toEqual([`model: m 0-1 ${expected}`]);
  });

  it('ignores calls that it hasn’t seen starting', () => {
    const state = fold([
      delta('a', { phase: 'running' }),
      end('a'),
      { type: 'request-end', reply: {} },
    ]);
    expect(toTimeline(state)).toEqual({ lanes: [], turn: null, dropped: 0 });
  });

  it('keeps 200 stretches of a lane, and those that still last', () => {
    const calls = Array.from({ length: 250 }, (_call, index) => `call-${index}`);
    const state = fold([
      start('long', 'Long'),
      delta('long', { phase: 'running' }),
      ...calls.flatMap((id) => [start(id), delta(id, { phase: 'running' }), end(id)]),
    ]);
    const { lanes, dropped } = toTimeline(state);
    expect([lanes[0]?.spans.length, lanes[0]?.spans[0]?.label, dropped]).toEqual([200, 'Long', 51]);
  });
});

describe('createTimeline', () => {
  it('gives the same snapshot until something happens, and nothing after it is disposed', () => {
    let tell: (event: TraceEvent) => void = () => {};
    const timeline = createTimeline({
      follow(listener) {
        tell = listener;
        return () => void (tell = () => {});
      },
    });
    let heard = 0;
    timeline.subscribe(() => (heard += 1));
    const before = timeline.getSnapshot();
    expect(timeline.getSnapshot()).toBe(before);
    tell({ type: 'request-start', model: 'm', at: 1 });
    expect(draw(timeline.getSnapshot())).toEqual(['model: m 1-']);
    timeline[Symbol.dispose]();
    tell({ type: 'request-end', reply: {}, at: 2 });
    expect(draw(timeline.getSnapshot())).toEqual(['model: m 1-']);
    expect(heard).toBe(1);
  });
});
