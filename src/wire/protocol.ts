// The messages between a session's server and its clients: two closed lists and their checks.
// Requests are those between tabs (agent/tabs/runner-requests.ts). Only types and checks.
import { isIdempotent, isRequest } from '../agent/tabs/runner-requests.ts';
import type { RunnerMethod } from '../agent/tabs/runner-requests.ts';
import type { SessionQuestion, SessionState } from '../agent/agent-session.ts';
import type { ChangeSet } from '../core/change-set.ts';
import { SdkError, isSerializedError, toSerializedError } from '../core/errors.ts';
import type { SerializedError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { SDKMessage, SDKSystemMessage } from '../core/messages/sdk-message.ts';
import type { FeedMessage } from '../workspace/feed/feed.ts';
import { checkDepth } from './check-depth.ts';

/** The subprotocol of a WebSocket, and the version in a `hello`. */
export const wireProtocol = 'rockpool-wire-2';

/**
 * 1 MiB: a client acknowledges each time it has received so much, in bytes of binary frames and UTF-16 units of text
 * frames. `ping` and `pong` don't count.
 */
export const takenBytes = 1_048_576;

/** 2 MiB: how much a server sends unacknowledged. More would fill its memory; less would wait for each round trip. */
export const windowBytes = 2 * takenBytes;

/** The prefix of the ticket among the subprotocols that a client offers. The server never selects it. */
export const ticketPrefix = 'rockpool-ticket.';

/** Sent by a client after a silence; answered without waking the host. */
export const ping = 'rockpool-ping';
export const pong = 'rockpool-pong';

/**
 * What a client may do. `views`: follow the session and its files. `answers`: that, and answer questions. `owner`:
 * everything.
 */
export type WireRole = 'owner' | 'answers' | 'views';

/** Who is connected, as `authorize` returned it. */
export interface WireGrant {
  /** The owner of the requests, for the host's own use. At most 256 characters. */
  readonly owner: string;
  readonly role: WireRole;
}

// Security: a client must not make the server contact addresses of the client's choice, record
// arbitrary data, or grant itself rules. A fork couldn't be connected to, because a place has only
// one session.
const notAsked = [
  'fork',
  'note',
  'completeCommand',
  'completeMcpLogin',
  'loginMcpServer',
  'logoutMcpServer',
  'mcpServerStatus',
  'readMcpResource',
  'reconnectMcpServer',
  'setMcpServers',
  'toggleMcpServer',
  'askMcpApp',
] as const satisfies readonly RunnerMethod[];

/** The requests between tabs without those of `notAsked`, and a commit of files. */
export type WireMethod = Exclude<RunnerMethod, (typeof notAsked)[number]> | 'commit';

/** A message from a client. */
export type ToServer =
  /** The first message of each connection. */
  | {
      readonly type: 'hello';
      readonly protocol: string;
      /** The number of the last known message, and its session. After 0: none is known. */
      readonly after: number;
      readonly session?: string | undefined;
    }
  | WireRequest
  /** Requests the files from now on; sent again after a record was lost. */
  | { readonly type: 'follow' }
  /** Acknowledges received bytes since the last `taken`: see {@link takenBytes}. */
  | { readonly type: 'taken'; readonly bytes: number };

/** One request. */
export interface WireRequest {
  readonly type: 'request';
  /** A unique id. A repeated request has the same id. */
  readonly id: string;
  readonly method: WireMethod;
  readonly parameters: readonly unknown[];
  /** The request was sent before, over a connection that was lost. */
  readonly again?: true;
}

/** A message from the server. */
export type ToClient =
  /** Answers `hello`. Sent again if the session was opened anew. */
  | {
      readonly type: 'welcome';
      readonly session: string;
      readonly role: WireRole;
      readonly init: SDKSystemMessage;
      /**
       * The session is sent from its first message on: the client's `after` counts in a history
       * that was lost.
       */
      readonly isAnew?: true;
    }
  /** The current state. Before the `welcome`: the session is still being opened. */
  | {
      readonly type: 'running';
      readonly state: SessionState;
      readonly questions: readonly SessionQuestion[];
    }
  | { readonly type: 'message'; readonly message: SDKMessage }
  | {
      readonly type: 'reply';
      readonly id: string;
      readonly value?: unknown;
      /** Left out if it succeeded. */
      readonly error?: SerializedError;
    }
  | { readonly type: 'feed'; readonly message: FeedMessage }
  /** The files can't be followed, or no longer. */
  | { readonly type: 'feed-failed'; readonly error: SerializedError }
  /**
   * The last message, with the reason why the connection is closed. Clients of all versions
   * understand it.
   */
  | { readonly type: 'refused'; readonly error: SerializedError };

/** Security: without the stack, which reveals the server's implementation. */
export function toWireError(error: unknown): SerializedError {
  const { name, message, code, data } = toSerializedError(error);
  return { name, message, code, data };
}

/** True if the method is idempotent. */
export function isRepeatable(method: WireMethod): boolean {
  // A commit has the client's own number as its origin, so it is applied once.
  return method === 'commit' || isIdempotent(method);
}

const forAll: ReadonlySet<WireMethod> = new Set([
  'supportedCommands',
  'supportedAgents',
  'getContextUsage',
  'skills',
] satisfies WireMethod[]);

/** Security: the server checks each request, whatever the client claims. */
export function mayAsk(role: WireRole, method: WireMethod): boolean {
  if (role === 'owner' || forAll.has(method)) return true;
  return role === 'answers' && method === 'answer';
}

/**
 * Security: the value came from outside.
 *
 * @throws SdkError `invalid-input` if it isn't one of the messages, or is nested too deeply
 */
export function readToServer(value: unknown): ToServer {
  checkDepth(value);
  if (isRecord(value) && isToServer(value)) return value as unknown as ToServer;
  const type = isRecord(value) && typeof value['type'] === 'string' ? value['type'] : typeof value;
  const what = type.slice(0, 60);
  throw new SdkError(
    'invalid-input',
    `Refused "${what}": it is no message of ${wireProtocol}.`,
    {},
  );
}

/** @throws SdkError `invalid-input` if it isn't one of the messages */
export function readToClient(value: unknown): ToClient {
  if (isRecord(value) && isToClient(value)) return value as unknown as ToClient;
  throw new SdkError('invalid-input', `The server has sent what is no message of ${wireProtocol}.`);
}

function isToServer(fields: Readonly<Record<string, unknown>>): boolean {
  const { after, id, method, parameters, session } = fields;
  switch (fields['type']) {
    case 'hello':
      return (
        isText(fields['protocol']) &&
        Number.isSafeInteger(after) &&
        (after as number) >= 0 &&
        (session === undefined || isText(session))
      );
    case 'request':
      // Invalid parameters get an error answer instead of a closed connection: see `isAsked`.
      return isText(id) && id.length <= 100 && isText(method) && Array.isArray(parameters);
    case 'follow':
      return true;
    case 'taken':
      return Number.isSafeInteger(fields['bytes']) && (fields['bytes'] as number) > 0;
    default:
      return false;
  }
}

/**
 * Security: true if the method exists and the parameters have its types. The session checks their
 * values.
 */
export function isAsked({ method, parameters }: WireRequest): boolean {
  if (method === 'commit') return isCommit(parameters);
  return !notAsked.some((one: RunnerMethod) => one === method) && isRequest(method, parameters);
}

/** True for the form of a commit. The writer checks its changes. */
function isCommit(parameters: readonly unknown[]): boolean {
  const [changeSet, origin, ...rest] = parameters;
  if (rest.length > 0 || !isRecord(changeSet) || !isRecord(origin)) return false;
  const { client, number } = origin;
  const isNumber = Number.isSafeInteger(number) && (number as number) > 0;
  return isNumber && isText(client) && client.length <= 100 && hasChanges(changeSet);
}

function hasChanges({ changes }: Partial<ChangeSet>): boolean {
  return Array.isArray(changes);
}

function isToClient(fields: Readonly<Record<string, unknown>>): boolean {
  const { id, error, message } = fields;
  switch (fields['type']) {
    case 'welcome':
      return isText(fields['session']) && isText(fields['role']) && isRecord(fields['init']);
    case 'running':
      return isText(fields['state']) && Array.isArray(fields['questions']);
    case 'message':
    case 'feed':
      return isRecord(message) && isText(message['type']);
    case 'reply':
      return isText(id) && (error === undefined || isSerializedError(error));
    case 'feed-failed':
    case 'refused':
      return isSerializedError(error);
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
