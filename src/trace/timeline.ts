// A session's trace as lanes over time: the model, the person, the page, each worker, and waiting
// calls. It is data for a view; react/components/timeline.tsx draws it.
import type { CallEndState, CallPhase, Trace, TraceEvent } from './trace.ts';

/** One span of a lane. */
export interface LaneSpan {
  readonly id: string;
  /** The name of the tool or the model. */
  readonly label: string;
  /** Left out in the model's lane. */
  readonly callId?: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Null while it is open. */
  readonly to: number | null;
  /** The end of the call or request, on its last span. */
  readonly state?: CallEndState;
}

/** `worker`: one lane for each worker that has run a call. `page`: calls on the agent's thread. */
export type LaneKind = 'model' | 'queued' | 'asked' | 'page' | 'worker';

/** The spans of one place, such as the model, a queue or a worker. */
export interface Lane {
  readonly id: string;
  readonly kind: LaneKind;
  /** The worker's name, for a worker's lane. */
  readonly worker?: string;
  /** The spans by start, oldest first. Parallel work overlaps. */
  readonly spans: readonly LaneSpan[];
}

/** A session's newest turns over time, as plain data. */
export interface Timeline {
  /**
   * The model's lane first, then the waiting calls, then the places where calls run, in the order
   * of their first use.
   */
  readonly lanes: readonly Lane[];
  /** The newest turn. */
  readonly turn: { readonly from: number; readonly to: number | null } | null;
  /** The number of dropped spans. */
  readonly dropped: number;
}

/** A timeline in the form that React's `useSyncExternalStore` takes. */
export interface TimelineStore extends Disposable {
  /** The same object until something changes. */
  getSnapshot(): Timeline;
  subscribe(listener: () => void): () => void;
}

// 200 per lane: more than fit on a screen.
const MAX_SPANS = 200;

interface SpanDraft {
  readonly id: string;
  readonly label: string;
  readonly callId?: string;
  readonly from: number;
  to: number | null;
  state?: CallEndState;
}

interface LaneDraft extends Omit<Lane, 'spans'> {
  readonly spans: SpanDraft[];
}

/** A call without an end. */
interface OpenCall {
  readonly toolName: string;
  phase: CallPhase;
  isAsked: boolean;
  worker?: string;
  lane?: LaneDraft;
  span?: SpanDraft;
}

/** The state of the fold. Bounded by {@link MAX_SPANS} per lane, and by the open spans. */
export interface TimelineState {
  readonly lanes: Map<string, LaneDraft>;
  readonly calls: Map<string, OpenCall>;
  /** The open request spans by the id of the sub-agent's call; null: the main agent. */
  readonly requests: Map<string | null, SpanDraft>;
  turn: Timeline['turn'];
  nextId: number;
  dropped: number;
}

/** Starts without events. */
export function createTimelineState(): TimelineState {
  return {
    lanes: new Map(),
    calls: new Map(),
    requests: new Map(),
    turn: null,
    nextId: 0,
    dropped: 0,
  };
}

/** Follows the trace until it is disposed. */
export function createTimeline(trace: Trace): TimelineStore {
  const state = createTimelineState();
  const listeners = new Set<() => void>();
  let snapshot: Timeline | undefined;
  const callOff = trace.follow((event) => {
    foldTimeline(state, event);
    snapshot = undefined;
    for (const listener of [...listeners]) listener();
  });
  return {
    getSnapshot: () => (snapshot ??= toTimeline(state)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    [Symbol.dispose]: callOff,
  };
}

/** Applies one event. Events of calls whose start is unknown change nothing. */
export function foldTimeline(state: TimelineState, event: TraceEvent): void {
  switch (event.type) {
    case 'turn-start':
      state.turn = { from: event.at, to: null };
      return;
    case 'turn-end':
      if (state.turn) state.turn = { ...state.turn, to: event.at };
      return;
    case 'request-start':
      state.requests.set(
        event.parentId ?? null,
        begin(state, findLane(state, 'model'), event.at, event.model),
      );
      return;
    case 'request-end': {
      const request = state.requests.get(event.parentId ?? null);
      if (!request) return;
      request.to = event.at;
      request.state = toRequestState(event.error);
      state.requests.delete(event.parentId ?? null);
      return;
    }
    case 'call-start':
      state.calls.set(event.callId, {
        toolName: event.toolName,
        phase: 'checking',
        isAsked: false,
      });
      return;
    case 'call-delta': {
      const call = state.calls.get(event.callId);
      if (!call) return;
      const { phase = call.phase, isAsked = call.isAsked, worker = call.worker } = event;
      Object.assign(call, { phase, isAsked }, worker !== undefined && { worker });
      return move(state, event.callId, call, event.at);
    }
    case 'call-end': {
      const call = state.calls.get(event.callId);
      if (!call) return;
      if (call.span) {
        call.span.to ??= event.at;
        call.span.state = event.state;
      }
      state.calls.delete(event.callId);
    }
  }
}

function toRequestState(error: string | undefined): CallEndState {
  if (error === undefined) return 'output-available';
  return error === 'aborted' ? 'stopped' : 'output-error';
}

/** Moves the call to its present lane. */
function move(state: TimelineState, callId: string, call: OpenCall, at: number): void {
  const lane = laneOf(state, call);
  if (lane === call.lane) return;
  const { span } = call;
  const wasOnPage = call.lane?.kind === 'page' && lane?.kind === 'worker';
  if (wasOnPage && span) {
    // The call has run there from its start. Its worker's name is known only a moment later.
    call.lane?.spans.splice(call.lane.spans.indexOf(span), 1);
    lane.spans.push(span);
    call.lane = lane;
    return;
  }
  if (span) span.to ??= at;
  // Most calls start at once, and an empty span would only fill the lane.
  if (span && call.lane?.kind === 'queued' && span.from === at) {
    call.lane.spans.splice(call.lane.spans.indexOf(span), 1);
  }
  if (!lane) {
    delete call.lane;
    return;
  }
  call.lane = lane;
  call.span = begin(state, lane, at, call.toolName, callId);
}

function laneOf(state: TimelineState, call: OpenCall): LaneDraft | undefined {
  if (call.isAsked) return findLane(state, 'asked');
  if (call.phase === 'queued') return findLane(state, 'queued');
  if (call.phase !== 'running') return undefined;
  return call.worker === undefined
    ? findLane(state, 'page')
    : findLane(state, 'worker', call.worker);
}

function findLane(state: TimelineState, kind: LaneKind, worker?: string): LaneDraft {
  const id = worker === undefined ? kind : `${kind} ${worker}`;
  const known = state.lanes.get(id);
  if (known) return known;
  const lane: LaneDraft = { id, kind, spans: [], ...(worker !== undefined && { worker }) };
  state.lanes.set(id, lane);
  return lane;
}

function begin(
  state: TimelineState,
  lane: LaneDraft,
  from: number,
  label: string,
  callId?: string,
): SpanDraft {
  state.nextId += 1;
  const id = String(state.nextId);
  const span: SpanDraft = { id, label, from, to: null, ...(callId !== undefined && { callId }) };
  lane.spans.push(span);
  if (lane.spans.length > MAX_SPANS) dropOldest(state, lane);
  return span;
}

/** Open spans are never dropped. */
function dropOldest(state: TimelineState, { spans }: LaneDraft): void {
  const at = spans.findIndex(({ to }) => to !== null);
  if (at < 0) return;
  spans.splice(at, 1);
  state.dropped += 1;
}

const laneOrder: readonly LaneKind[] = ['model', 'asked', 'queued', 'page', 'worker'];

/** An immutable copy. Lanes without spans are left out. */
export function toTimeline({ lanes, turn, dropped }: TimelineState): Timeline {
  const shown = [...lanes.values()].filter(({ spans }) => spans.length > 0);
  shown.sort((one, other) => laneOrder.indexOf(one.kind) - laneOrder.indexOf(other.kind));
  return {
    lanes: shown.map((lane) => ({ ...lane, spans: lane.spans.map((span) => ({ ...span })) })),
    turn,
    dropped,
  };
}
