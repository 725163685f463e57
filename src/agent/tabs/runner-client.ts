// Sends requests to the tab that runs a session (the runner). If that tab is gone, a request goes
// to the next runner. Used by viewer.ts, and by code that changes a session that another tab runs.
import { SdkError, fromSerializedError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import { isIdempotent, toRepeated, toRequests } from './runner-requests.ts';
import type { RunnerMethod, RunnerRequests } from './runner-requests.ts';
import { readSessionMessage, toPosted } from './session-message.ts';
import type { RunnerNews, RunnerTransient } from './session-message.ts';
import type { SessionChannel } from './session-tabs.ts';

/** A request without an answer. */
export interface OpenRequest {
  readonly method: RunnerMethod;
  readonly parameters: readonly unknown[];
}

/** Disposing it rejects the open requests and closes the channel. */
export interface RunnerClient extends Disposable {
  /** Closes the client. `moved`: the error if the session runs in another place. */
  close(moved?: SdkError): void;
  /** Each request resolves with the runner's answer, or rejects with its error. */
  readonly requests: RunnerRequests;
  /**
   * Another tab runs the session now, or this tab does (`here`). Idempotent requests are sent
   * again. The others are rejected, because it isn't known whether they were carried out. `known`
   * may already have the answer.
   */
  askAgain(
    known: (request: OpenRequest) => (() => Promise<void>) | undefined,
    here?: RunnerRequests,
  ): void;
}

interface Waiting extends OpenRequest {
  /** The journal's newest known entry at the time of the request. */
  readonly known: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What the other tabs tell. */
export interface RunnerListeners {
  /** Gets the runner's broadcasts, in order. */
  readonly onNews: (news: RunnerNews | RunnerTransient) => void;
  /** Called if another tab is about to delete the session. */
  readonly onLeave: () => void;
}

/** Sends `hello` at once. */
export function createRunnerClient(
  sessionId: string,
  channel: SessionChannel,
  { onNews, onLeave }: RunnerListeners,
): RunnerClient {
  const open = new Map<string, Waiting>();
  /** The journal's newest entry, by the runner's last broadcast. */
  let newest = 0;
  let isOver = false;

  const post = (id: string, { method, parameters }: OpenRequest) =>
    channel.post(toPosted({ type: 'request', id, method, parameters }));

  channel.listen((data) => {
    const message = readSessionMessage(data);
    if (isOver || !message) return;
    if (message.type === 'running' || message.type === 'transient') {
      newest = Math.max(newest, message.n);
      onNews(message);
    }
    if (message.type === 'leave') onLeave();
    if (message.type !== 'reply') return;
    const { id, value, error } = message;
    const waiting = open.get(id);
    open.delete(id);
    if (error) waiting?.reject(fromSerializedError(error));
    else waiting?.resolve(value);
  });
  channel.post(toPosted({ type: 'hello' }));

  function ask(method: RunnerMethod, parameters: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (isOver) throw closed(sessionId);
      const id = createId();
      post(id, { method, parameters });
      open.set(id, { method, parameters, known: newest, resolve, reject });
    });
  }

  return {
    requests: toRequests(ask),
    askAgain(known, here) {
      for (const [id, request] of open) {
        const { method, resolve, reject } = request;
        const parameters = toRepeated(method, request.parameters, request.known);
        const settle = known(request);
        if (settle || here || !isIdempotent(method)) open.delete(id);
        if (settle) {
          settle().then(resolve, reject);
        } else if (!isIdempotent(method)) {
          reject(unanswered(sessionId, method));
        } else if (here) {
          const carryOut = here[method] as (...given: readonly unknown[]) => Promise<unknown>;
          carryOut(...parameters).then(resolve, reject);
        } else {
          post(id, { method, parameters });
        }
      }
    },
    close,
    [Symbol.dispose]: () => close(),
  };

  function close(moved?: SdkError): void {
    isOver = true;
    channel[Symbol.dispose]();
    for (const { method, reject } of open.values()) {
      reject(moved ? unansweredBefore(moved, method) : closedEarly(sessionId, method));
    }
    open.clear();
  }
}

function closed(sessionId: string): SdkError {
  const message = `The session ${sessionId} is closed. Open it again with resume: '${sessionId}'.`;
  return new SdkError('bad-usage', message, { data: { sessionId } });
}

function closedEarly(sessionId: string, method: RunnerMethod): SdkError {
  return new SdkError(
    'worker-lost',
    `The session ${sessionId} was closed here before the tab that runs it had answered: ${method} may have been done or not. Open it again with resume: '${sessionId}' and look.`,
    { data: { sessionId, method } },
  );
}

function unansweredBefore({ message, data }: SdkError, method: string): SdkError {
  return new SdkError(
    'worker-lost',
    `${message} It has left before ${method} was answered: that may have been done or not. Look there.`,
    { data: { ...data, method } },
  );
}

function unanswered(sessionId: string, method: RunnerMethod): SdkError {
  return new SdkError(
    'worker-lost',
    `The tab that ran the session ${sessionId} has gone before it had answered: ${method} may have been done or not. Look, and ask again where it wasn't.`,
    { data: { sessionId, method } },
  );
}
