// The closed list of messages between the tabs that have one session open, and their checks. A message is
// untrusted until it is checked here: any page of the origin may use the channel.
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

/** Tabs of another version are not understood, and not heard. */
const sessionProtocol = 'rockpool-session-1';

/** From whoever doesn't run the session. */
export type ViewerMessage =
  /** Answered with `running`. */
  | { readonly type: 'hello' }
  | {
      readonly type: 'request';
      /** No other request ever has it, unless it is the same one that is sent again. */
      readonly id: string;
      readonly method: RunnerMethod;
      readonly parameters: readonly unknown[];
    };

/** From the tab that runs it, to all. */
export type RunnerMessage =
  | RunnerNews
  | RunnerTransient
  | {
      readonly type: 'reply';
      readonly id: string;
      readonly value?: unknown;
      /** Left out where it was done. */
      readonly error?: SerializedError;
    };

/** How things stand once the journal has `n` entries: it may take until another tab has read them. */
export interface RunnerNews {
  readonly type: 'running';
  /** Another one for each tab that runs the session, and each time. */
  readonly runner: string;
  readonly n: number;
  readonly state: SessionState;
  /** The requestIds of the questions that wait, oldest first. */
  readonly questions: readonly string[];
  /** Once it begins to run, and to who says hello. */
  readonly init?: SDKSystemMessage;
  /** With `init`: the reply that streams, as far as it has come. For who doesn't know this runner yet. */
  readonly reply?: readonly SDKPartialAssistantMessage[];
}

/** What isn't recorded, once the journal had `n` entries. It is told once, to whoever is there. */
export interface RunnerTransient {
  readonly type: 'transient';
  readonly runner: string;
  readonly n: number;
  readonly message: TransientMessage;
}

const transientSubtypes = ['api_retry', 'status', 'task_progress'] as const;

/** Text that streams, and progress: messages of the runner's that its journal doesn't have. */
export type TransientMessage =
  | SDKPartialAssistantMessage
  | SDKToolProgressMessage
  | SDKPromptSuggestionMessage
  | Extract<
      SDKMessage,
      { readonly type: 'system'; readonly subtype: (typeof transientSubtypes)[number] }
    >;

export function isTransient(message: SDKMessage): message is TransientMessage {
  const { type } = message;
  if (type === 'stream_event' || type === 'tool_progress' || type === 'prompt_suggestion')
    return true;
  const subtypes: readonly string[] = transientSubtypes;
  return message.type === 'system' && subtypes.includes(message.subtype);
}

export type SessionMessage = ViewerMessage | RunnerMessage;

/** As it is posted. Inverse: {@link readSessionMessage}. */
export function toPosted(message: SessionMessage): unknown {
  return { protocol: sessionProtocol, ...message };
}

/** Undefined for any other message, which is ignored. */
export function readSessionMessage(value: unknown): SessionMessage | undefined {
  if (!isRecord(value) || value['protocol'] !== sessionProtocol) return undefined;
  // The one cast. What a reply's value is follows from what was asked.
  return hasBody(value) ? (value as unknown as SessionMessage) : undefined;
}

const states: readonly unknown[] = ['idle', 'running', 'requires_action'] satisfies SessionState[];

function hasBody(fields: Readonly<Record<string, unknown>>): boolean {
  const { id, init, message, questions, reply } = fields;
  switch (fields['type']) {
    case 'hello':
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
