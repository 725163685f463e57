// Follows a session of `openSession` on a page, without React. Such a session is stored, and continues after a
// reload. page-session.ts creates the conversation itself.
import { throwIfAborted } from '../core/async/abort.ts';
import { nextTask } from '../core/async/next-task.ts';
import type {
  SDKControlGetContextUsageResponse,
  SDKMessage,
  SDKUserMessage,
} from '../core/messages/sdk-message.ts';
import type { SlashCommand } from '../core/commands/slash-command.ts';
import { createPageSession } from './page-session.ts';
import type {
  AgentQuery,
  AgentWiring,
  GiveBack,
  PageSession,
  PageSessionOptions,
} from './page-session.ts';

/** The part of an opened session that is needed here. */
export interface FollowedSession {
  send(prompt: SDKUserMessage): Promise<unknown>;
  messages(options: { readonly after: number }): AsyncIterable<SDKMessage>;
  interrupt(): Promise<unknown>;
  supportedCommands?(): Promise<readonly SlashCommand[]>;
  getContextUsage?(): Promise<SDKControlGetContextUsageResponse>;
  close(): Promise<void>;
}

/** For the options of `openSession`. */
export type SessionWiring = Omit<AgentWiring, 'prompt'>;

/** The query of a conversation that follows a session. */
export interface FollowedQuery<S extends FollowedSession = FollowedSession> extends AgentQuery {
  /** Resolves with the session once it is open. Rejects with the error if it can't be opened. */
  readonly opened: Promise<S>;
  /** Ends the conversation. Resolves when the session is closed and may be opened again. */
  close(): Promise<void>;
}

/**
 * Starts a conversation over a stored session. With `kept`, which are the session's messages so far, the transcript
 * is shown at once. The session is opened at once, too, so that a turn that was cut continues. Without `kept` the
 * session is new: it is opened with the first prompt. So a conversation without a prompt leaves nothing behind.
 *
 * Disposing of the conversation closes the session and stops what runs. If the page is closed instead, what runs is
 * resumed later.
 *
 * @example
 * ```ts
 * const kept = await getSessionMessages(id, { host });
 * const session = followSession(
 *   (wiring) => openSession({ host, model, resume: id, includePartialMessages: true, ...wiring }),
 *   { kept },
 * );
 * ```
 */
export function followSession<S extends FollowedSession>(
  open: (wiring: SessionWiring) => Promise<S>,
  options: PageSessionOptions = {},
): PageSession<FollowedQuery<S>> {
  const kept = options.kept && [...options.kept];
  const after = kept?.reduce((last, { n = 0 }) => Math.max(last, n), 0) ?? 0;
  return createPageSession(
    ({ prompt, ...wiring }, giveBack) => {
      const { signal } = wiring.abortController;
      const prompts = prompt[Symbol.asyncIterator]();
      const start = async () => {
        const first = kept ? undefined : await prompts.next();
        // React's strict mode disposes of the first conversation at once. It must not open a
        // session that the second would run into.
        if (kept) await nextTask();
        throwIfAborted(signal);
        const session = await open(wiring);
        return { session, first };
      };
      const started = start();
      const opened = started.then(({ session }) => session);
      // The reader of the messages gets the error of opening.
      opened.catch(() => undefined);
      return {
        opened,
        async *[Symbol.asyncIterator]() {
          const { session, first } = await started;
          void feed(session, prompts, first, giveBack);
          yield* session.messages({ after });
        },
        interrupt: async () => (await opened).interrupt(),
        supportedCommands: async () => (await (await opened).supportedCommands?.()) ?? [],
        getContextUsage: async () => (await opened).getContextUsage?.(),
        async close() {
          wiring.abortController.abort();
          const session = await opened.catch(() => undefined);
          await session?.close();
        },
      };
    },
    { ...options, ...(kept && { kept }) },
  );
}

async function feed(
  session: FollowedSession,
  prompts: AsyncIterator<SDKUserMessage>,
  first: IteratorResult<SDKUserMessage> | undefined,
  giveBack: GiveBack,
): Promise<void> {
  for (let next = first ?? (await prompts.next()); !next.done; next = await prompts.next()) {
    const { value } = next;
    // A prompt may be too large, or its sender may not send. The session ends by itself where it must.
    await session.send(value).catch((error: unknown) => giveBack(value.uuid, error));
  }
}
