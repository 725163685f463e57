// Keeps the events of the streaming reply, so that a reader who starts in the middle gets it from
// its beginning. Used by open-session.ts.
import type { ModelEvent } from '../../core/messages/messages.ts';
import type { SDKMessage, SDKPartialAssistantMessage } from '../../core/messages/sdk-message.ts';
import { mergeDeltas } from './merge-deltas.ts';

/** The streaming reply of one session. It is empty without `includePartialMessages`. */
export interface OpenReply {
  /** Takes each message of the session. */
  take(message: SDKMessage): void;
  /** The events so far, merged: usually one delta per block. Empty if no reply streams. */
  events(): readonly SDKPartialAssistantMessage[];
}

/** Starts without a reply. */
export function createOpenReply(): OpenReply {
  /** The text of one type of delta in pieces, which are joined when they are read. */
  let events: SDKPartialAssistantMessage[] = [];
  /** The number of merged events at the beginning. */
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
      // A sub-agent's messages don't belong to this reply.
      if (message.type === 'result') forget();
      else if (message.type === 'assistant' && message.parent_tool_use_id === null) forget();
      if (message.type !== 'stream_event' || isIdle(message.event)) return;
      if (message.parent_tool_use_id !== null) return;
      if (message.event.type === 'message_start') forget();
      if (message.event.type === 'message_stop') return forget();
      if (message.event.type === 'message_start' || events.length > 0) events.push(message);
      // Merged from time to time, because a reply may have tens of thousands of deltas.
      if (events.length - merged > 1_000) merge();
    },
    events() {
      merge();
      return [...events];
    },
  };
}

const isIdle = ({ type }: ModelEvent) => type === 'ping';
