// The events of a session with their times, as data. Timelines and spans are made of them. The agent's stations record
// them. They hold the changed paths of a call, but neither its input nor its output.
import type { CallState } from '../core/tool/call-state.ts';
import type { Change } from '../core/change-set.ts';
import type { AssistantMessage } from '../core/messages/messages.ts';

/**
 * The phase of a call. First its input and its permission are checked, then it waits for its turn, then it is at work.
 * At last its changes are kept or dropped, and its result is made.
 */
export type CallPhase = 'checking' | 'queued' | 'running' | 'settling';

/** Each call starts and ends once; between, its deltas say what has changed. */
export type TraceEvent = { /** Milliseconds since the epoch. */ readonly at: number } & (
  | { readonly type: 'turn-start' }
  | {
      readonly type: 'turn-end';
      /** How it ended, in a word. */
      readonly reason:
        | 'completed'
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
      /** For a sub-agent: the call that started it. One agent has one request at a time. */
      readonly parentId?: string;
    }
  | {
      readonly type: 'request-end';
      /** Empty where there was no reply. */
      readonly reply: Partial<Pick<AssistantMessage, 'id' | 'model' | 'stop_reason' | 'usage'>>;
      /** The code of what broke it off. */
      readonly error?: string | undefined;
      /** The same parent as at the request's start. */
      readonly parentId?: string;
    }
  | {
      readonly type: 'call-start';
      readonly callId: string;
      readonly toolName: string;
      /** The call whose code makes this one, that started this task, or has begun the sub-agent that calls. */
      readonly parentId?: string;
    }
  | {
      readonly type: 'call-delta';
      readonly callId: string;
      readonly phase?: CallPhase;
      /** A person is asked, or will be when those before it have answered; whatever the phase. */
      readonly isAsked?: boolean;
      /** The worker that runs it. Without one it runs where the agent does. */
      readonly worker?: string;
    }
  | {
      readonly type: 'server-log';
      /** An MCP server: the words are its own. */
      readonly serverName: string;
      readonly level: string;
      readonly text: string;
    }
  | {
      readonly type: 'call-end';
      readonly callId: string;
      readonly state: CallEndState;
      /** What it changed in the workspace, where that was kept. */
      readonly kept?: readonly KeptChange[] | undefined;
    }
);

/** One changed path, without what was changed. */
export type KeptChange = Pick<Change, 'type' | 'path'>;

/** `stopped`: cut, or never started. */
export type CallEndState =
  Exclude<Extract<CallState, `output-${string}`>, 'output-stopped'> | 'stopped';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/** An event as it is recorded; the trace adds the time. */
export type TraceInput = WithoutTime<TraceEvent>;

/** What a query has recorded and records. */
export interface Trace {
  /**
   * Tells of what is kept, in order, and then of each event as it comes, until it is called off. What the listener throws
   * then is an uncaught error, and fails no turn.
   */
  follow(listener: (event: TraceEvent) => void): () => void;
}
