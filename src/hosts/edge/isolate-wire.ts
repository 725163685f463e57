// The messages between a session's isolate and the isolates that run its calls. A request has one
// call, or a part of the workspace's feed, as a frame (frames.ts) in its body. The answer to a call
// is a stream of frames. Closing the request cancels the call.
import { isRecord } from '../../core/values/is-record.ts';
import type { WorkReply, WorkRequest } from '../../core/tool/ports.ts';
import type { FeedMessage } from '../../workspace/feed/feed.ts';
import { check, isText } from '../check-message.ts';

/**
 * Security: `.invalid` names no server (RFC 6761), so no external request can have this host. A
 * request that a Worker forwards unchanged is rejected.
 */
export const isolateHost = 'rockpool.invalid';

/** A service binding, a Durable Object's stub or any other object with `fetch`. */
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

/** `workspace` names the session's workspace, because one isolate may serve several sessions. */
export type ToIsolate =
  | {
      readonly type: 'feed';
      readonly workspace: string;
      readonly messages: readonly FeedMessage[];
    }
  | { readonly type: 'call'; readonly workspace: string; readonly request: WorkRequest };

/** The messages of a call's answer. The reply is the last. */
export type FromIsolate =
  | { readonly type: 'progress'; readonly progress: unknown }
  | { readonly type: 'clock-started' }
  | { readonly type: 'reply'; readonly reply: WorkReply };

/**
 * The isolate lacks a part of the workspace that the call needs: it was restarted, or serves
 * another session.
 */
export const behindStatus = 409;

/** The isolate couldn't read the message; the body has the reason. */
export const refusedStatus = 400;

/** @throws SdkError `invalid-input` if the message isn't one of this direction */
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
  // The only cast. The checks above and those of the receiver ensure the type.
  return message as unknown as ToIsolate;
}

/** @throws SdkError `invalid-input` if the message isn't one of this direction */
export function readFromIsolate(message: unknown): FromIsolate {
  check(isRecord(message), 'a message that is no object');
  if (message['type'] === 'reply') check(isReply(message['reply']), 'a reply of no known kind');
  else check(['progress', 'clock-started'].includes(String(message['type'])), 'an unknown message');
  return message as unknown as FromIsolate;
}

/**
 * Checks the fields that decide what runs and what it may access. The tool's schema parses the
 * input.
 */
function checkRequest(request: unknown): void {
  check(isRecord(request), 'a call of nothing');
  for (const key of ['callId', 'toolName', 'sessionId', 'cwd']) {
    check(isText(request[key]), `a call without ${key}`);
  }
  // Security: without its access rules a call would see every file.
  for (const key of ['access', 'limits', 'address']) {
    check(isRecord(request[key]), `a call without ${key}`);
  }
  check(Array.isArray(request['knownVersions']), 'a call without versions');
  // The isolate has no session state, no person to ask, and no draft of another call.
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
