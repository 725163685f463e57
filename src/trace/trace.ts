// The events of a session with their times, as plain data for timelines and spans. The agent's
// stages record them. They contain the paths that a call has changed, but neither its input nor its
// output.
import type { CallState } from '../core/tool/call-state.ts';
import type { Change } from '../core/change-set.ts';
import type { AssistantMessage } from '../core/messages/messages.ts';

/**
 * The phase of a call. `checking`: its input and permission are checked. `queued`: it waits for the
 * schedule. `running`: it works. `settling`: its changes are kept or dropped, and its result is
 * built.
 */
export type CallPhase = 'checking' | 'queued' | 'running' | 'settling';

/** Each call has one start and one end. The deltas between them have the changes. */
export type TraceEvent = { /** Milliseconds since the epoch. */ readonly at: number } & (
  | { readonly type: 'turn-start' }
  | {
      readonly type: 'turn-end';
      /** The end as one word. */
      readonly reason:
        | 'completed'
        | 'cell'
        | 'command'
        | 'handed-over'
        | 'hook'
        | 'max-turns'
        | 'max-budget'
        | 'no-output'
        | 'stopped'
        | 'failed';
    }
  | {
      readonly type: 'request-start';
      readonly model: string;
      /**
       * For a sub-agent: the id of the call that started it. One agent has one request at a time.
       */
      readonly parentId?: string;
    }
  | {
      readonly type: 'request-end';
      /** Empty if there was no reply. */
      readonly reply: Partial<Pick<AssistantMessage, 'id' | 'model' | 'stop_reason' | 'usage'>>;
      /** The code of the error. */
      readonly error?: string | undefined;
      /** The same parent as at the request's start. */
      readonly parentId?: string;
    }
  | {
      readonly type: 'call-start';
      readonly callId: string;
      readonly toolName: string;
      /**
       * The id of the call that this one belongs to: the call whose code made it, that started its
       * task, or that started its sub-agent.
       */
      readonly parentId?: string;
    }
  | {
      readonly type: 'call-delta';
      readonly callId: string;
      readonly phase?: CallPhase;
      /**
       * True while a person is asked, or the question waits in the queue. Independent of the phase.
       */
      readonly isAsked?: boolean;
      /** The worker that runs it. Left out: the agent's thread. */
      readonly worker?: string;
    }
  | {
      readonly type: 'server-log';
      /** The MCP server's name; the text is the server's. */
      readonly serverName: string;
      readonly level: string;
      readonly text: string;
    }
  | {
      readonly type: 'call-end';
      readonly callId: string;
      readonly state: CallEndState;
      /** The changes in the workspace that were kept. */
      readonly kept?: readonly KeptChange[] | undefined;
    }
);

/** One changed path, without the content. */
export type KeptChange = Pick<Change, 'type' | 'path'>;

/** `stopped`: aborted, or never started. */
export type CallEndState =
  Exclude<Extract<CallState, `output-${string}`>, 'output-stopped'> | 'stopped';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/** An event as it is recorded; the trace adds the time. */
export type TraceInput = WithoutTime<TraceEvent>;

/** The recorded events of a query, and the later ones. */
export interface Trace {
  /**
   * Calls the listener with all kept events in order, and then with each new one, until the
   * returned function is called. A listener's error is reported as an uncaught error, and fails no
   * turn.
   */
  follow(listener: (event: TraceEvent) => void): () => void;
}
