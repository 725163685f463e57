// The closed list of messages between the tabs that have one session open, and their checks. Any
// page of the origin may use the channel, so a message is untrusted until it is checked here.
import { isSerializedError, type SerializedError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type {
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKPromptSuggestionMessage,
  SDKSystemMessage,
  SDKToolProgressMessage,
} from '../../core/messages/sdk-message.ts';
import type { SessionState } from '../agent-session.ts';
import { isRequest } from './runner-requests.ts';
import type { RunnerMethod } from './runner-requests.ts';

/** Messages of tabs with another protocol version are ignored. */
const sessionProtocol = 'rockpool-session-1';

/** From a tab that doesn't run the session. */
export type ViewerMessage =
  /** Answered with `running`. */
  | { readonly type: 'hello' }
  /** The session is about to be deleted: every tab closes it. */
  | { readonly type: 'leave' }
  | {
      readonly type: 'request';
      /** Unique to the request. A repeated request keeps its id. */
      readonly id: string;
      readonly method: RunnerMethod;
      readonly parameters: readonly unknown[];
    };

/** From the tab that runs the session, to all others. */
export type RunnerMessage =
  | RunnerNews
  | RunnerTransient
  | {
      readonly type: 'reply';
      readonly id: string;
      readonly value?: unknown;
      /** Left out if the request succeeded. */
      readonly error?: SerializedError;
    };

/**
 * The state of the session after `n` entries of the journal. Another tab may not have read these
 * entries yet.
 */
export interface RunnerNews {
  readonly type: 'running';
  /** The id of this run of the session. Each run in a tab has a new one. */
  readonly runner: string;
  readonly n: number;
  readonly state: SessionState;
  /** The requestIds of the open questions, oldest first. */
  readonly questions: readonly string[];
  /** Sent when the tab begins to run the session, and after each `hello`. */
  readonly init?: SDKSystemMessage;
  /**
   * Sent with `init`: the events so far of the streaming reply, for a tab that doesn't know this
   * runner yet.
   */
  readonly reply?: readonly SDKPartialAssistantMessage[];
}

/** A message that isn't recorded, sent once after `n` entries of the journal. */
export interface RunnerTransient {
  readonly type: 'transient';
  readonly runner: string;
  readonly n: number;
  readonly message: TransientMessage;
}

const transientSubtypes = ['api_retry', 'status', 'task_progress'] as const;

/** Streamed text and progress: the runner's messages that aren't in its journal. */
export type TransientMessage =
  | SDKPartialAssistantMessage
  | SDKToolProgressMessage
  | SDKPromptSuggestionMessage
  | Extract<
      SDKMessage,
      { readonly type: 'system'; readonly subtype: (typeof transientSubtypes)[number] }
    >;

export function isTransient(message: SDKMessage): message is TransientMessage {
  const { type, n } = message;
  // A status with a mode is recorded. Viewers read it in the journal.
  if (n !== undefined) return false;
  if (type === 'stream_event' || type === 'tool_progress' || type === 'prompt_suggestion')
    return true;
  const subtypes: readonly string[] = transientSubtypes;
  return message.type === 'system' && subtypes.includes(message.subtype);
}

export type SessionMessage = ViewerMessage | RunnerMessage;

/** The posted form. Inverse: {@link readSessionMessage}. */
export function toPosted(message: SessionMessage): unknown {
  return { protocol: sessionProtocol, ...message };
}

/** Undefined for any other value, which is ignored. */
export function readSessionMessage(value: unknown): SessionMessage | undefined {
  if (!isRecord(value) || value['protocol'] !== sessionProtocol) return undefined;
  // The only cast. The type of a reply's value depends on its request.
  return hasBody(value) ? (value as unknown as SessionMessage) : undefined;
}

const states: readonly unknown[] = ['idle', 'running', 'requires_action'] satisfies SessionState[];

function hasBody(fields: Readonly<Record<string, unknown>>): boolean {
  const { id, init, message, questions, reply } = fields;
  switch (fields['type']) {
    case 'hello':
    case 'leave':
      return true;
    case 'request':
      return isText(id) && isRequest(fields['method'], fields['parameters']);
    case 'running':
      return (
        isText(fields['runner']) &&
        Number.isSafeInteger(fields['n']) &&
        states.includes(fields['state']) &&
        Array.isArray(questions) &&
        questions.every(isText) &&
        (init === undefined || isInit(init)) &&
        (reply === undefined || (Array.isArray(reply) && reply.every(isStreamEvent)))
      );
    case 'transient':
      return (
        isText(fields['runner']) && Number.isSafeInteger(fields['n']) && isTransientBody(message)
      );
    case 'reply':
      return isText(id) && (fields['error'] === undefined || isSerializedError(fields['error']));
    default:
      return false;
  }
}

function isInit(value: unknown): boolean {
  if (!isRecord(value) || value['type'] !== 'system' || value['subtype'] !== 'init') return false;
  return Array.isArray(value['warnings']) && value['warnings'].every(isText);
}

function isStreamEvent(value: unknown): boolean {
  if (!isRecord(value) || value['type'] !== 'stream_event') return false;
  const { event } = value;
  return isRecord(event) && isText(event['type']);
}

function isTransientBody(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value['type']) {
    case 'stream_event':
      return isStreamEvent(value);
    case 'tool_progress':
      return isText(value['tool_use_id']) && isText(value['tool_name']);
    case 'prompt_suggestion':
      return isText(value['suggestion']);
    case 'system':
      return (transientSubtypes as readonly unknown[]).includes(value['subtype']);
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
