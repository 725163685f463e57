// Serves other tabs in the tab that runs a session: it broadcasts the session's state, and carries
// out their requests. Used by open-session.ts. query.ts uses it too, but its session is read-only
// for others.
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

/** The session in the tab that runs it. */
export interface ServedSession {
  readonly requests: RunnerRequests;
  /** The number of entries in its journal. */
  length(): number;
  state(): SessionState;
  /** The requestIds of the open questions, oldest first. */
  questions(): readonly string[];
  init(): SDKSystemMessage;
  /** The events so far of the streaming reply. */
  reply(): readonly SDKPartialAssistantMessage[];
  /** Closes the session, because another tab deletes it. */
  leave(): void;
}

/** Dispose it before the session is closed. Unanswered requests then go to the next runner. */
export interface ViewerService extends Disposable {
  /** Broadcasts the state and the open questions. */
  tell(): void;
  /** Broadcasts those parts of a message that aren't recorded. */
  pass(message: SDKMessage): void;
}

/**
 * Broadcasts the state to the present viewers at once. Disposing the service closes the channel.
 */
export function serveViewers(
  channel: SessionChannel,
  session: ServedSession,
  clock: Clock,
): ViewerService {
  const runner = createId();
  /** A request may come twice, from a viewer that got no answer in time. */
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
      // A page tool's progress may be impossible to clone. The message is then sent without it.
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
    else if (message.type === 'leave') session.leave();
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

/** The requests for a query: it can be read, named and stopped. */
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
