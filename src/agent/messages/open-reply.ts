// The reply that streams, as far as it has come: who begins to read in the middle of it is told that once.
// Used by open-session.ts.
import type { ModelEvent } from '../../core/messages/messages.ts';
import type { SDKMessage, SDKPartialAssistantMessage } from '../../core/messages/sdk-message.ts';
import { mergeDeltas } from './merge-deltas.ts';

/** The open reply of one session. It holds something only with `includePartialMessages`. */
export interface OpenReply {
  /** Each message of the session, as it happens. */
  take(message: SDKMessage): void;
  /** Its events by now, in as few as they can be: one delta a block, as a rule. None where no reply streams. */
  events(): readonly SDKPartialAssistantMessage[];
}

/** None streams to begin with. */
export function createOpenReply(): OpenReply {
  /** What was said in one type of delta, piece by piece: joined when somebody asks. */
  let events: SDKPartialAssistantMessage[] = [];
  /** How many of the first ones are merged. */
  let merged = 0;

  function merge(): void {
    const before = events.slice(0, merged);
    for (const event of events.slice(merged)) {
      const last = before.at(-1);
      const both = last && mergeDeltas(last.event, event.event);
      if (last && both) before[before.length - 1] = { ...last, event: both };
      else before.push(event);
    }
    events = before;
    merged = before.length;
  }

  function forget(): void {
    events = [];
    merged = 0;
  }

  return {
    take(message) {
      // A sub-agent's messages say nothing of this reply.
      if (message.type === 'result') forget();
      else if (message.type === 'assistant' && message.parent_tool_use_id === null) forget();
      if (message.type !== 'stream_event' || isIdle(message.event)) return;
      if (message.parent_tool_use_id !== null) return;
      if (message.event.type === 'message_start') forget();
      if (message.event.type === 'message_stop') return forget();
      if (message.event.type === 'message_start' || events.length > 0) events.push(message);
      // Bounded: a reply has ten thousands of deltas.
      if (events.length - merged > 1_000) merge();
    },
    events() {
      merge();
      return [...events];
    },
  };
}

const isIdle = ({ type }: ModelEvent) => type === 'ping';
