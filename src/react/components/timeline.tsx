// The lanes of the newest turn: when the model, the person and each worker were busy, and what waited. The lanes are
// one stop of the Tab key. Arrows move from one stretch of time to the next, and each has a label.
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { Lane, LaneSpan, Timeline } from '../../trace/timeline.ts';

/** A timeline, and the moment that it is drawn for. */
export interface TimelineLanesProps {
  /** A snapshot of the timeline's store. */
  readonly timeline: Timeline;
  /** Milliseconds since the epoch. Left out: the time, ticking while the turn runs. */
  readonly now?: number;
}

/** The stretch that the keyboard is at. */
interface Place {
  readonly row: number;
  readonly column: number;
}

/** Shows nothing before the first turn. */
export function TimelineLanes({ timeline, now: given }: TimelineLanesProps) {
  const { turn } = timeline;
  const ticking = useNow(turn !== null && turn.to === null && given === undefined);
  const now = given ?? ticking;
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const grid = useRef<HTMLDivElement>(null);
  if (!turn) return null;
  const rows = timeline.lanes.flatMap((lane) => {
    const spans = lane.spans.filter(({ to }) => to === null || to > turn.from);
    return spans.length > 0 ? [{ lane, spans, ...toLevels(spans) }] : [];
  });
  const end = Math.max(turn.to ?? now, turn.from + 1);
  const at = clampPlace(place, rows);
  const { lane, spans: spansHere = [] } = rows[at.row] ?? {};
  const current = spansHere[at.column];

  const go = (next: Place) => {
    const there = clampPlace(next, rows);
    setPlace(there);
    const cell = grid.current?.querySelector<HTMLElement>(
      `[data-row="${there.row}"][data-column="${there.column}"]`,
    );
    cell?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, at, rows);
    if (!next) return;
    event.preventDefault();
    go(next);
  };

  return (
    <div className="rp-timeline">
      <div
        ref={grid}
        role="grid"
        aria-label="Timeline of the turn"
        aria-readonly="true"
        // The focus is on the stretch that the keyboard is at, never on the grid itself.
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        {rows.map(({ lane, spans, levels, count }, row) => (
          <div role="row" className="rp-lane" data-kind={lane.kind} key={lane.id}>
            <span role="rowheader" className="rp-lane-name">
              {nameLane(lane)}
            </span>
            <div
              role="presentation"
              className="rp-lane-track"
              style={{ height: `${count * 14 + 4}px` }}
            >
              {spans.map((span, column) => (
                <div
                  role="gridcell"
                  key={span.id}
                  className="rp-lane-span"
                  data-row={row}
                  data-column={column}
                  data-state={span.state ?? (span.to === null ? 'open' : 'passed')}
                  tabIndex={row === at.row && column === at.column ? 0 : -1}
                  aria-label={describe(lane, span, turn.from)}
                  title={describe(lane, span, turn.from, now)}
                  style={toBox(span, levels[column] ?? 0, turn.from, end, now)}
                  onFocus={() => setPlace({ row, column })}
                  onPointerEnter={() => setPlace({ row, column })}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      <p className="rp-timeline-detail" aria-hidden="true">
        {current && lane ? describe(lane, current, turn.from, now) : ''}
      </p>
    </div>
  );
}

interface Row {
  readonly lane: Lane;
  readonly spans: readonly LaneSpan[];
}

function clampPlace({ row, column }: Place, rows: readonly Row[]): Place {
  const at = Math.max(0, Math.min(row, rows.length - 1));
  const last = (rows[at]?.spans.length ?? 1) - 1;
  return { row: at, column: Math.max(0, Math.min(column, last)) };
}

/** The place that a key leads to. Undefined if the key isn't about places. */
function placeAfter(key: string, { row, column }: Place, rows: readonly Row[]): Place | undefined {
  switch (key) {
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'ArrowDown':
      return nearest(row, column, row + 1, rows);
    case 'ArrowUp':
      return nearest(row, column, row - 1, rows);
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: Infinity };
    default:
      return undefined;
  }
}

/** The stretch in another lane that begins closest in time. */
function nearest(row: number, column: number, next: number, rows: readonly Row[]): Place {
  const from = rows[row]?.spans[column]?.from ?? 0;
  const spans = rows[next]?.spans;
  if (!spans) return { row, column };
  const away = (span: LaneSpan) => Math.abs(span.from - from);
  const best = spans.reduce((one, other) => (away(other) < away(one) ? other : one));
  return { row: next, column: spans.indexOf(best) };
}

function nameLane({ kind, worker }: Lane): string {
  switch (kind) {
    case 'model':
      return 'Model';
    case 'asked':
      return 'Waits for you';
    case 'queued':
      return 'Queued';
    case 'page':
      return 'Page';
    case 'worker':
      return `Worker ${worker}`;
  }
}

const stateWords = {
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'refused',
  stopped: 'stopped',
} as const;

/**
 * Describes a stretch. Without `now` the length of a running one is left out: a screen reader would
 * repeat it with each tick.
 */
function describe(lane: Lane, span: LaneSpan, start: number, now?: number): string {
  const to = span.to ?? now;
  const length = to === undefined ? '' : `${toSeconds(to - span.from)} `;
  const state = span.state ? `, ${stateWords[span.state]}` : span.to === null ? ', going on' : '';
  return `${span.label}, ${nameLane(lane)}, ${length}from ${toSeconds(span.from - start)}${state}`;
}

function toSeconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/**
 * Puts overlapping stretches one below the other: each takes the first level that is free at its
 * start.
 */
function toLevels(spans: readonly LaneSpan[]): { levels: readonly number[]; count: number } {
  const busyUntil: number[] = [];
  const levels = spans.map(({ from, to }) => {
    const free = busyUntil.findIndex((until) => until <= from);
    const level = free < 0 ? busyUntil.length : free;
    busyUntil[level] = to ?? Infinity;
    return level;
  });
  return { levels, count: Math.max(1, busyUntil.length) };
}

function toBox(span: LaneSpan, level: number, start: number, end: number, now: number) {
  const share = (time: number) =>
    (100 * Math.min(Math.max(time - start, 0), end - start)) / (end - start);
  const left = share(span.from);
  return {
    left: `${left.toFixed(3)}%`,
    width: `${(share(span.to ?? now) - left).toFixed(3)}%`,
    top: `${level * 14 + 2}px`,
  };
}

// 4 times a second: smooth enough for bars that grow by seconds.
const tickMs = 250;

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
