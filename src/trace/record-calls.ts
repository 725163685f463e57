// Records a session's trace for readers such as a timeline or a tracer. Without readers it costs a
// few numbers per call.
import { tellSafely } from '../core/async/surface.ts';
import type { Clock } from '../core/tool/ports.ts';
import type { Trace, TraceEvent, TraceInput } from './trace.ts';

/** The trace, with the methods by which the agent's stages write it. */
export interface RecordingTrace extends Trace {
  readonly record: (event: TraceInput) => void;
}

// 4 000 events of earlier turns, about 700 calls and 400 kB, for readers that start late.
const KEPT_EVENTS = 4_000;

/**
 * Keeps all events of the running turn, and the newest ones before it. A listener's error doesn't
 * affect the session.
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
