// What the tab that runs a session does for the others: it tells them how things stand, and carries out what
// they ask. Used by open-session.ts, and by query.ts, whose session can only be looked at.
import { SdkError, toSerializedError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type {
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKSystemMessage,
} from '../../core/messages/sdk-message.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionState } from '../agent-session.ts';
import { createOutbox } from '../messages/outbox.ts';
import { toRequests } from './runner-requests.ts';
import type { RunnerRequests } from './runner-requests.ts';
import { isTransient, readSessionMessage, toPosted } from './session-message.ts';
import type { SessionMessage, ViewerMessage } from './session-message.ts';
import type { SessionChannel } from './session-tabs.ts';

/** The session as its runner has it. */
export interface ServedSession {
  readonly requests: RunnerRequests;
  /** How many entries its journal has. */
  length(): number;
  state(): SessionState;
  /** The requestIds of the questions that wait, oldest first. */
  questions(): readonly string[];
  init(): SDKSystemMessage;
  /** The reply that streams, as far as it has come. */
  reply(): readonly SDKPartialAssistantMessage[];
}

/** Dispose it before the session is closed: what has no answer by then is asked of the next runner. */
export interface ViewerService extends Disposable {
  /** The state, or the questions, may have changed. */
  tell(): void;
  /** The session has told this: what of it isn't recorded is told here. */
  pass(message: SDKMessage): void;
}

/** Tells those who are there at once. The channel goes with it. */
export function serveViewers(
  channel: SessionChannel,
  session: ServedSession,
  clock: Clock,
): ViewerService {
  const runner = createId();
  /** A request may come twice: by a viewer that wasn't sure whether it was heard. */
  const underWay = new Set<string>();
  let isOver = false;
  let told = '';

  const post = (message: SessionMessage) => {
    if (!isOver) channel.post(toPosted(message));
  };

  const outbox = createOutbox(clock, (message) => {
    if (!isTransient(message)) return;
    const transient = { type: 'transient', runner, n: session.length() } as const;
    try {
      post({ ...transient, message });
    } catch (error) {
      if (message.type !== 'tool_progress') throw error;
      // A tool of the page's may report what can't be cloned. That it is under way can be told.
      const { progress: _progress, ...rest } = message;
      post({ ...transient, message: rest });
    }
  });

  function tell(isAll: boolean): void {
    const now = { state: session.state(), questions: session.questions() };
    const text = JSON.stringify(now);
    if (!isAll && text === told) return;
    told = text;
    outbox.flush();
    const all = isAll ? { init: session.init(), reply: session.reply() } : {};
    post({ type: 'running', runner, n: session.length(), ...now, ...all });
  }

  async function carryOut(request: ViewerMessage & { readonly type: 'request' }): Promise<void> {
    const { id, method, parameters } = request;
    if (underWay.has(id)) return;
    underWay.add(id);
    try {
      // The cast: the parameters were checked against the method.
      const run = session.requests[method] as (...given: readonly unknown[]) => Promise<unknown>;
      const value = await run(...parameters);
      post({ type: 'reply', id, value });
    } catch (error) {
      post({ type: 'reply', id, error: toSerializedError(error) });
    } finally {
      underWay.delete(id);
    }
  }

  channel.listen((data) => {
    const message = readSessionMessage(data);
    if (isOver || !message) return;
    if (message.type === 'hello') tell(true);
    else if (message.type === 'request') void carryOut(message);
  });
  tell(true);
  return {
    tell: () => tell(false),
    pass(message) {
      if (!isOver) outbox.push(message);
    },
    [Symbol.dispose]() {
      outbox[Symbol.dispose]();
      isOver = true;
      channel[Symbol.dispose]();
    },
  };
}

/** Of a query: it can be looked at, named and stopped, and says what it has. */
export function toQueryRequests(
  sessionId: string,
  own: Pick<
    RunnerRequests,
    'getContextUsage' | 'interrupt' | 'note' | 'skills' | 'supportedAgents' | 'supportedCommands'
  >,
): RunnerRequests {
  const refused = toRequests(async (method) => {
    throw new SdkError(
      'bad-usage',
      `Another tab runs the session ${sessionId} by query(), which takes nothing from here: no ${method}. Wait until it has ended, or open it there with openSession.`,
      { data: { sessionId, method } },
    );
  });
  return { ...refused, ...own };
}
