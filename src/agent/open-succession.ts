// The object that a caller of openSession holds. After `/clear` it continues with another session. Created by
// open-session.ts.
import { createDeferred } from '../core/async/deferred.ts';
import { SdkError } from '../core/errors.ts';
import type { SDKMessage } from '../core/messages/sdk-message.ts';
import type { OpenedSession, SentPrompt } from './agent-session.ts';
import type { QueryOptions } from './query-options.ts';
import { withFlags } from './session/settings/applied-flags.ts';
import type { FlagSettings } from './session/settings/flag-settings.ts';
import { passOn } from './tabs/runner-requests.ts';

/** Opens one session. `onMessage` is called with each message as it happens. */
type OpenOne = (
  options: QueryOptions,
  onMessage: (message: SDKMessage) => void,
) => Promise<OpenedSession>;

/** One session of the succession. */
interface Link {
  readonly session: OpenedSession;
  /** The session that replaces this one after `/clear`. Rejects as `openSession` does. */
  readonly next: Promise<Link> | undefined;
  /** Resolves when the session is left by `/clear`. */
  readonly left: Promise<void>;
  /** Prompts that are being sent to it. None of them rejects. */
  readonly sending: Set<Promise<unknown>>;
}

/** Opens the first one. Rejects as `open` does. */
export async function openSuccession(options: QueryOptions, open: OpenOne): Promise<OpenedSession> {
  let { model } = options;
  let flags: FlagSettings | undefined;
  /** Undefined while the first one is being opened. */
  let newest: Link | undefined;
  const closing = new AbortController();
  const closed = new Promise<never>((_, reject) => {
    closing.signal.addEventListener('abort', () => reject(createClosedError()), { once: true });
  });
  closed.catch(() => undefined);

  async function openLink(of: QueryOptions): Promise<Link> {
    const { promise: opened, resolve: give } = createDeferred<OpenedSession>();
    let end: () => void = () => undefined;
    let next: Promise<Link> | undefined;
    const { promise: left, resolve: leave } = createDeferred();
    const sending: Link['sending'] = new Set();
    const session = await open(of, (message) => {
      if (message.type === 'conversation_reset') {
        const ended = new Promise<void>((resolve) => (end = resolve));
        // From here on nothing is sent to it, because a prompt would wait for a turn that never comes. In a Durable
        // Object: this prevents a release in between, which would cut the opening of the new session.
        const working = options.host.steps?.work();
        next = goOn(message.new_conversation_id, opened, ended, sending).finally(() =>
          working?.[Symbol.dispose](),
        );
        leave();
        next.then(
          (link) => (newest = link),
          () => undefined,
        );
      } else if (message.type === 'result') end();
    });
    give(session);
    return {
      session,
      left,
      sending,
      get next() {
        return next;
      },
    };
  }

  /**
   * Continues with the new session once the turn of `/clear` has its result. The tab that ran the old session also
   * runs the new one. It locks the new one before it releases the old one, for which the other tabs wait.
   */
  async function goOn(
    id: string,
    opened: Promise<OpenedSession>,
    ended: Promise<void>,
    sending: Link['sending'],
  ): Promise<Link> {
    const session = await opened;
    const { tabs } = options.host;
    const openNext = () =>
      openLink({ ...withFlags(withoutChoice(options), flags), model, resume: id });
    try {
      await Promise.race([ended, closed]);
      // The tab that runs the session answers these prompts before it releases the session.
      await Promise.race([Promise.all(sending), closed]);
      // Other tabs mustn't wait for a session that couldn't be opened here.
      if (tabs && session.role() === 'runner') return await openNext();
    } finally {
      await session.close();
    }
    const lease = await tabs?.hold(session.id, closing.signal);
    lease?.[Symbol.dispose]();
    return openNext();
  }

  const first = await openLink(options);
  newest = first;

  /** The session that is open or being opened. */
  async function now(): Promise<OpenedSession> {
    while (newest?.next) newest = await newest.next;
    return (newest ?? first).session;
  }

  /**
   * Sends a prompt, and retries in the next session. A viewer may learn of the old session's end later than the
   * runner.
   */
  async function send(prompt: Parameters<OpenedSession['send']>[0]): Promise<SentPrompt> {
    for (;;) {
      await now();
      const { session, left, sending } = newest ?? first;
      const sent = session.send(prompt);
      const settled = sent.then(
        () => undefined,
        () => undefined,
      );
      sending.add(settled);
      void settled.then(() => sending.delete(settled));
      try {
        return await sent;
      } catch (error) {
        if (!SdkError.isInstance(error) || error.data['movedTo'] === undefined) throw error;
        await Promise.race([left, closed]);
      }
    }
  }

  async function close(): Promise<void> {
    closing.abort(createClosedError());
    // If another session is being opened, that one is closed.
    await now().catch(() => undefined);
    await current().close();
  }

  async function* readMessages(
    after: number,
    stored: boolean,
  ): AsyncGenerator<SDKMessage, void, undefined> {
    let link = newest ?? first;
    yield* link.session.messages({ after, stored });
    while (link.next && !closing.signal.aborted) {
      try {
        link = await link.next;
      } catch (error) {
        if (closing.signal.aborted) return;
        throw error;
      }
      yield* link.session.messages({ stored });
    }
  }

  const current = () => (newest ?? first).session;
  return {
    ...passOn(now),
    get id() {
      return current().id;
    },
    get trace() {
      return current().trace;
    },
    send,
    messages: ({ after = 0, stored = false } = {}) => readMessages(after, stored),
    questions: () => current().questions(),
    answer: async (...given) => (await now()).answer(...given),
    async applyFlagSettings(settings) {
      await (await now()).applyFlagSettings(settings);
      flags = { ...flags, ...settings };
    },
    async setModel(next) {
      await (await now()).setModel(next);
      model = next;
    },
    moveTo: async (url, moving) => (await now()).moveTo(url, moving),
    state: () => current().state(),
    role: () => current().role(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createClosedError(): SdkError {
  return new SdkError('bad-usage', 'The session was closed while /clear went on to a new one.');
}

/** The same options without those that choose the session. */
export function withoutChoice({
  sessionId: _id,
  resume: _resume,
  continue: _continue,
  forkSession: _fork,
  resumeSessionAt: _at,
  title: _title,
  ...rest
}: QueryOptions): QueryOptions {
  return rest;
}
