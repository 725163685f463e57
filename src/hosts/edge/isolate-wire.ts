// What crosses between a session's isolate and those that its calls are sent to: one request a call, or
// a piece of the workspace's feed. Each is a frame (frames.ts) in the request's body; a call's answer is
// a stream of frames. Closing the request cuts the call.
import { isRecord } from '../../core/values/is-record.ts';
import type { WorkReply, WorkRequest } from '../../core/tool/ports.ts';
import type { FeedMessage } from '../../workspace/feed/feed.ts';
import { check, isText } from '../check-message.ts';

/**
 * Security: a request from outside can't bear this name, which no server has (RFC 6761). One that a
 * Worker passes on as it came is refused by it.
 */
export const isolateHost = 'rockpool.invalid';

/** A service binding, a Durable Object's stub, or whatever else has their `fetch`. */
export interface CallIsolate {
  fetch(
    url: string,
    init: {
      readonly method: 'POST';
      readonly body: Uint8Array<ArrayBuffer>;
      readonly signal: AbortSignal;
    },
  ): Promise<Response>;
}

/** `workspace` tells one session's files from another's, should both come to the same isolate. */
export type ToIsolate =
  | {
      readonly type: 'feed';
      readonly workspace: string;
      readonly messages: readonly FeedMessage[];
    }
  | { readonly type: 'call'; readonly workspace: string; readonly request: WorkRequest };

/** A call's. The reply is the last. */
export type FromIsolate =
  | { readonly type: 'progress'; readonly progress: unknown }
  | { readonly type: 'clock-started' }
  | { readonly type: 'reply'; readonly reply: WorkReply };

/** It hasn't the workspace as far as it is needed: it was started again, or serves another session. */
export const behindStatus = 409;

/** It understood nothing; the body says why. */
export const refusedStatus = 400;

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readToIsolate(message: unknown): ToIsolate {
  check(isRecord(message), 'a message that is no object');
  check(isText(message['workspace']), 'a message about no workspace');
  if (message['type'] === 'feed') {
    check(Array.isArray(message['messages']), 'a feed of nothing');
    for (const part of message['messages']) check(isFeedMessage(part), 'a feed of something else');
  } else {
    check(message['type'] === 'call', `a message of the unknown type ${String(message['type'])}`);
    checkRequest(message['request']);
  }
  // The one cast: the checks above and the receiver's own make it true.
  return message as unknown as ToIsolate;
}

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readFromIsolate(message: unknown): FromIsolate {
  check(isRecord(message), 'a message that is no object');
  if (message['type'] === 'reply') check(isReply(message['reply']), 'a reply of no known kind');
  else check(['progress', 'clock-started'].includes(String(message['type'])), 'an unknown message');
  return message as unknown as FromIsolate;
}

/** The parts that decide what runs and what it may do. The input is parsed by the tool's schema. */
function checkRequest(request: unknown): void {
  check(isRecord(request), 'a call of nothing');
  for (const key of ['callId', 'toolName', 'sessionId', 'cwd']) {
    check(isText(request[key]), `a call without ${key}`);
  }
  // Security: without its rules a call would see every file.
  for (const key of ['access', 'limits', 'address']) {
    check(isRecord(request[key]), `a call without ${key}`);
  }
  check(Array.isArray(request['knownVersions']), 'a call without versions');
  // There is no state here, nobody to ask, and no other call's draft.
  check(request['isStateless'] === true, 'a call that needs the state of its session');
  for (const key of ['tools', 'outerCallId', 'isBackground']) {
    check(request[key] === undefined, `a call with ${key}, which runs where its session is`);
  }
}

function isFeedMessage(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['type'] === 'record') return isRecord(value['record']);
  return value['type'] === 'snapshot' && isRecord(value['state']) && isList(value['segments']);
}

function isReply(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['type'] === 'done') return isList(value['reads']);
  return (
    value['type'] === 'failed' && isRecord(value['error']) && isText(value['error']['message'])
  );
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}
