// Summarises the work of an interrupted turn, for the caller of the interrupt. Loaded with the
// first interrupt.
import type {
  SDKControlInterruptResponse,
  SDKInterruptedCall,
} from '../../core/messages/interrupt-response.ts';
import type { CallEndState, KeptChange, TraceEvent } from '../../trace/trace.ts';

interface EndedCall {
  readonly id: string;
  readonly toolName: string;
  /** The call is nested, so only its changes are listed. */
  readonly isNested: boolean;
  hasStarted: boolean;
  state?: CallEndState;
  kept: readonly KeptChange[];
}

/**
 * The receipt of the newest turn in `events`. Each of its calls is in one of the lists, in their
 * order. `still_queued`: the prompts that were waiting.
 */
export function toReceipt(
  events: readonly TraceEvent[],
  still_queued: readonly string[],
): SDKControlInterruptResponse {
  const calls = new Map<string, EndedCall>();
  for (const event of events) fold(calls, event);
  const all = [...calls.values()];
  const ended = all.filter(({ state, isNested }) => state !== undefined && !isNested);
  const stopped = ended.filter(({ state }) => state === 'stopped');
  return {
    still_queued,
    finished: ended
      .filter(({ state }) => state !== 'stopped')
      .map((call) => ({ ...name(call), is_error: call.state !== 'output-available' })),
    cut: stopped.filter(({ hasStarted }) => hasStarted).map(name),
    never_started: stopped.filter(({ hasStarted }) => !hasStarted).map(name),
    changes: all.flatMap(({ id, kept }) =>
      kept.map(({ path, type }) => ({ tool_use_id: id, path, type })),
    ),
  };
}

function fold(calls: Map<string, EndedCall>, event: TraceEvent): void {
  if (event.type === 'turn-start') {
    calls.clear();
  } else if (event.type === 'call-start') {
    const { callId: id, toolName, parentId } = event;
    const isNested = parentId !== undefined;
    calls.set(id, { id, toolName, isNested, hasStarted: false, kept: [] });
  } else if (event.type === 'call-delta') {
    const call = calls.get(event.callId);
    if (call && event.phase === 'running') call.hasStarted = true;
  } else if (event.type === 'call-end') {
    const call = calls.get(event.callId);
    if (call) Object.assign(call, { state: event.state, kept: event.kept ?? [] });
  }
}

function name({ id, toolName }: EndedCall): SDKInterruptedCall {
  return { tool_use_id: id, tool_name: toolName };
}
