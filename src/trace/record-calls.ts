// Records a session's trace for its readers: a timeline or a tracer. Without readers it costs a few
// numbers a call.
import { tellSafely } from '../core/async/surface.ts';
import type { Clock } from '../core/tool/ports.ts';
import type { Trace, TraceEvent, TraceInput } from './trace.ts';

/** The trace as the agent's stations write it. */
export interface RecordingTrace extends Trace {
  readonly record: (event: TraceInput) => void;
}

// 4 000 events of earlier turns, some 700 calls, for readers that start late. About 400 kB.
const KEPT_EVENTS = 4_000;

/**
 * Keeps the running turn whole, as the conversation does, and the newest events before it. A listener that throws costs
 * the session nothing.
 */
export function createTrace(clock: Clock): RecordingTrace {
  const kept: TraceEvent[] = [];
  const listeners = new Set<(event: TraceEvent) => void>();
  return {
    record(event) {
      const timed = { ...event, at: clock.now() };
      if (event.type === 'turn-start') kept.splice(0, kept.length - KEPT_EVENTS);
      kept.push(timed);
      for (const listener of listeners) tellSafely(listener, timed);
    },
    follow(listener) {
      for (const event of kept) listener(event);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
