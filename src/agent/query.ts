// The way in: one call starts a conversation and yields all that happens in it, as the Claude Agent
// SDK's messages. One turn of `loop.ts` for each prompt.
import { createChildController } from '../core/abort.ts';
import { SdkError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { PermissionMode } from '../core/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../core/sdk-message.ts';
import type { Model } from '../model/model.ts';
import { runTurn } from './loop.ts';
import { createMessageQueue } from './message-queue.ts';
import { checkMode } from './permissions/check-mode.ts';
import { createPermissionState } from './permissions/permission-state.ts';
import { checkMaxTurns, checkSettingSources, toPermissionContext } from './query-options.ts';
import type { QueryOptions } from './query-options.ts';
import type { ExplainedAbsence } from './registry/explain-pool.ts';
import { createSession } from './session/create-session.ts';
import { getSessionDirectory } from './session/session-files.ts';
import { toPoolContext } from './session/session.ts';
import type { Session } from './session/session.ts';
import { toInitMessage, toResultMessage } from './to-result-message.ts';

/** What to say, and where and how. */
export interface QueryParams {
  /** One prompt, or as many as come: each is answered before the next is taken. */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options: QueryOptions;
}

/** A conversation that runs while it is read, and methods to steer it meanwhile. */
export interface Query extends AsyncGenerator<SDKMessage, void, undefined> {
  /** Stops the turn that runs; resolves when it has come to rest. The next prompt may follow. */
  interrupt(): Promise<void>;
  /** Holds from the next permission decision on. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Holds from the next request on. */
  setModel(model: Model): Promise<void>;
  /** Stops the turn that runs and ends the conversation. */
  close(): void;
  /** Ours: each tool that isn't offered as things stand now, and why. Loads the tools if need be. */
  explainPool(): Promise<readonly ExplainedAbsence[]>;
}

/**
 * Starts a conversation. Yields `system/init` first and a `result` at the end of each prompt; what
 * goes wrong in a turn (the model's server, a stop, too many requests) is an error result, never a
 * throw. Leaving the loop over it stops the turn that runs.
 *
 * @throws SdkError `bad-usage` or `invalid-input` at once for options that can't hold; the first
 * message rejects with one for hooks that can't hold, and when the host's tools can't be loaded.
 */
export function query({ prompt, options }: QueryParams): Query {
  const id = options.sessionId ?? createId();
  // For its check alone: a bad id is refused here and not by the first message.
  getSessionDirectory(id);
  checkMaxTurns(options.maxTurns);
  checkSettingSources(options.settingSources);
  if (prompt === '')
    throw new SdkError('bad-usage', 'The prompt is empty. Say what is to be done.');
  const permissions = createPermissionState(toPermissionContext(options), options.host.cwd);
  // A controller of its own: `close` must end this query without aborting the caller's.
  const whole = createChildController(
    options.abortController?.signal ?? new AbortController().signal,
  );
  let session: Session | undefined;
  let opening: Promise<Session> | undefined;
  let { model } = options;
  let running:
    { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;

  const open = () => (opening ??= createSession(options, { id, model, permissions }));

  async function* run(): AsyncGenerator<SDKMessage, void, undefined> {
    try {
      session = await open();
      // Set once more: `setModel` may have been called while the tools were loading.
      session.model = model;
      yield toInitMessage(session);
      if (session.hooks) yield* await session.hooks.start(session.model.name, whole.signal);
      for await (const message of readPrompts(prompt, whole.signal)) {
        yield* runPrompt(session, message);
      }
    } finally {
      await session?.hooks?.end();
      whole[Symbol.dispose]();
    }
  }

  async function* runPrompt(
    current: Session,
    { message }: Pick<SDKUserMessage, 'message'>,
  ): AsyncGenerator<SDKMessage, void, undefined> {
    const { clock } = current.host;
    const startedAt = clock.now();
    const queue = createMessageQueue<SDKMessage>();
    const controller = createChildController(whole.signal);
    current.usage.startTurn();
    const turn = runTurn(current, message, {
      includePartialMessages: options.includePartialMessages ?? false,
      ...(options.maxTurns !== undefined && { maxTurns: options.maxTurns }),
      emit: queue.push,
      signal: controller.signal,
    }).finally(queue.end);
    running = { controller, ended: turn };
    try {
      yield* queue;
      yield toResultMessage(current, await turn, clock.now() - startedAt);
    } finally {
      // A reader who leaves in the middle leaves nothing running behind.
      controller.abort();
      await turn;
      controller[Symbol.dispose]();
      running = undefined;
    }
  }

  const generator = run();
  return Object.assign(generator, {
    async interrupt() {
      running?.controller.abort();
      await running?.ended;
    },
    async setPermissionMode(mode: PermissionMode) {
      permissions.setMode(checkMode(mode));
    },
    async setModel(next: Model) {
      model = next;
      if (session) session.model = next;
    },
    close() {
      whole.abort();
      void generator.return();
    },
    async explainPool() {
      const { explainPool } = await import('./registry/explain-pool.ts');
      return explainPool(toPoolContext(await open()));
    },
  });
}

/** The prompts as they come. Ends with `signal`, also while none comes. */
async function* readPrompts(
  prompt: QueryParams['prompt'],
  signal: AbortSignal,
): AsyncGenerator<Pick<SDKUserMessage, 'message'>, void, undefined> {
  if (typeof prompt === 'string') {
    yield { message: { role: 'user', content: prompt } };
    return;
  }
  const iterator = prompt[Symbol.asyncIterator]();
  const stopped = new Promise<{ readonly done: true }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ done: true }), { once: true });
  });
  try {
    while (!signal.aborted) {
      const next = await Promise.race([iterator.next(), stopped]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: an iterable that is waiting for a person answers only when they speak.
    void iterator.return?.();
  }
}
