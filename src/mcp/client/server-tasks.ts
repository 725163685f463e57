// Calls that a server runs as tasks, by the protocols of 2025-11-25 and 2026-07-28. It runs in the
// realm of connect-server.ts. Loaded with the first call that may be a task, because the
// extension's client is as large as the protocol's.
import type {
  Client,
  ClientCapabilities,
  JSONRPCMessage,
  StandardSchemaV1,
} from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  JsonRpcResponseError,
  resultFromTaskOutcome,
  TaskFailedError,
} from '@modelcontextprotocol/ext-tasks/client';
import type { TaskController, TaskOutcome, TaskView } from '@modelcontextprotocol/ext-tasks/client';
import { createAbortError } from '../../core/async/abort.ts';
import { isDoneIn } from '../../core/async/in-time.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { toPlainText } from '../../core/text/plain-text.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import { VERSION } from '../../core/version.ts';
import { readTaskId, tasksExtension } from './connection.ts';
import type { OfferedTool } from './connection.ts';
import type { ServerAnswers } from './server-questions.ts';

/** The options of one call. */
export interface ServerTaskOptions {
  /** An abort cancels the task at the server. */
  readonly signal: AbortSignal;
  /** Called with the server's progress messages. */
  onProgress(progress: { readonly message: string }): void;
}

/** The tasks of one connection. */
export interface ServerTasks {
  /** Works like `follow`, for a call that starts as a task: the protocol of 2025-11-25. */
  run(
    tool: OfferedTool,
    input: Readonly<Record<string, unknown>>,
    options: ServerTaskOptions,
  ): Promise<unknown>;
  /**
   * Resolves to the raw result when the task has ended. Rejects if the task has failed, or the
   * server has cancelled it.
   */
  follow(taskId: string, options: ServerTaskOptions): Promise<unknown>;
  /** Resolves when servers have answered the cancellations, or don't answer. Never rejects. */
  end(): Promise<void>;
}

/** The parts that tasks use. */
export interface ServerTaskPorts {
  /** The capabilities that the client declares. */
  readonly capabilities: ClientCapabilities;
  readonly answers: ServerAnswers;
  /** The number of questions that one task may ask. */
  readonly maxQuestions: number;
  /** Called for each request of the server for a task, by the ids of the followed tasks. */
  readonly askings: Map<string, () => void>;
}

// The server's suggestion, limited to between 100 ms and an hour. Default: 1 s.
const usualPollMs = 1_000;
const minPollMs = 100;
const maxPollMs = 60 * 60 * 1_000;
// 5 in a row, each after the interval above: a restarting server is ready by then.
const maxUnheardPolls = 5;
// A day: the server answers when the task has ended, and the call has its own time limit.
const resultMs = 24 * 60 * 60 * 1_000;
// 1 000 messages of 500 characters: a suitable size for a task's file.
const maxWords = 1_000;
const maxWordChars = 500;
// 2 s: enough for a reachable server.
const cancelMs = 2_000;

type JsonRecord = NonNullable<Parameters<Session['callTool']>[1]>;
type Session = ReturnType<typeof createTaskSessionFromClient>;
type Dispatch = NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['rawDispatch']>;
type Framing = NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['v2RequestFraming']>;

/**
 * Call it before the first call that a server of 2026-07-28 may answer with a task: see
 * {@link passTasks}.
 *
 * @throws TypeError if it was already called for the client, or the client isn't connected
 */
export function createServerTasks(
  client: Client,
  { capabilities, answers, maxQuestions, askings }: ServerTaskPorts,
): ServerTasks {
  // In the protocol of 2026-07-28 the client passes requests about tasks on unchanged.
  const rawDispatch: Dispatch = async (request, { signal } = {}) => {
    const { method, params } = request as { readonly method: string; readonly params: JsonRecord };
    const result = await client.request({ method, params }, anyObject, signal ? { signal } : {});
    return { kind: 'result', result: { ...result, resultType: 'complete' } };
  };
  const v2RequestFraming: Framing = {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    clientInfo: { name: 'rockpool', version: VERSION },
    clientCapabilities: capabilities as JsonRecord,
  };
  const isModern = client.getProtocolEra() === 'modern';
  if (isModern) {
    passTasks(client);
    // The extension's client takes this for another extension if the server's entry isn't empty.
    Object.assign(client.getServerCapabilities()?.extensions ?? {}, { [tasksExtension]: {} });
  }
  // No other connection resumes the tasks, so the name needn't be unique.
  const session = createTaskSessionFromClient(client, {
    endpointId: 'rockpool',
    ...(isModern && { rawDispatch, v2RequestFraming }),
  });
  const cancels = new Set<Promise<void>>();

  /** Cancels a task without awaiting the answer. The result of any further work isn't used. */
  function cancel(task: TaskController): void {
    const cancelled = task
      .cancel()
      .catch(() => undefined)
      .finally(() => cancels.delete(cancelled));
    cancels.add(cancelled);
  }

  async function follow(
    taskId: string,
    { signal, onProgress }: ServerTaskOptions,
  ): Promise<unknown> {
    const task = session.task(taskId as Parameters<Session['task']>[0]);
    const tell = createTeller(onProgress);
    const asked = new Set<string>();
    let hasEnded = false;
    const stop = () => {
      if (!hasEnded) cancel(task);
      hasEnded = true;
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    const waiting = startWaiting(taskId);
    try {
      for (;;) {
        const seen = await look(task, signal);
        tell(seen);
        if (isOver(seen)) {
          const outcome = isModern
            ? toOutcome(seen)
            : await task.result({ resultCodec: anyResult, signal });
          hasEnded = true;
          return resultFromTaskOutcome(outcome);
        }
        if (seen.status === 'input_required') {
          if (isModern) await answer(task, seen, asked, signal);
          else waiting.open();
        }
        const given = await waiting.atMost(toPollMs(seen), signal);
        if (!given) continue;
        hasEnded = true;
        return given.result;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      waiting[Symbol.dispose]();
      stop();
    }
  }

  /**
   * Before 2026-07-28 a server asks by its own requests. Many send these only on the stream of the
   * answer to `tasks/result`, which comes when the task has ended.
   */
  function startWaiting(taskId: string): Waiting {
    const ending = new AbortController();
    let isOpen = false;
    let questions = 0;
    let wake = () => {};
    let given: { readonly result: unknown } | undefined;
    let failure: SdkError | undefined;
    askings.set(taskId, () => {
      questions += 1;
      if (questions <= maxQuestions) return;
      failure = tooMany(maxQuestions);
      wake();
      throw failure;
    });
    return {
      open() {
        if (isOpen) return;
        isOpen = true;
        const { signal } = ending;
        client
          .request({ method: 'tasks/result', params: { taskId } }, anyObject, {
            ...{ signal, timeout: resultMs },
          })
          .then(
            (result) => {
              given = { result };
              wake();
            },
            // The task's state has the reason. A broken stream is opened again while the task has
            // questions.
            () => (isOpen = false),
          );
      },
      async atMost(ms, signal) {
        if (!given && !failure) await pause(ms, signal, (by) => (wake = by));
        if (failure) throw failure;
        return given;
      },
      [Symbol.dispose]() {
        askings.delete(taskId);
        ending.abort();
      },
    };
  }

  async function answer(
    task: TaskController,
    { raw }: TaskView,
    asked: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const requests = isRecord(raw['inputRequests']) ? raw['inputRequests'] : {};
    const responses: Record<string, unknown> = {};
    for (const [key, request] of Object.entries(requests)) {
      // A server may see an answer late. It never uses a key for two questions.
      if (asked.has(key)) continue;
      if (asked.size >= maxQuestions) throw tooMany(maxQuestions);
      asked.add(key);
      responses[key] = await answerOne(request as unknown as InputRequest, answers, signal);
    }
    if (Object.keys(responses).length > 0) await task.updateJson(responses, signal);
  }

  return {
    async run({ name, inputSchema }, input, options) {
      const { signal } = options;
      signal.throwIfAborted();
      const execution = await session.callTool(name, input as JsonRecord, {
        declaration: { name, inputSchema: inputSchema as JsonRecord, taskSupport: 'required' },
        task: { preference: 'require' },
      });
      if (execution.kind !== 'task') throw new TypeError('A task was wanted, and none was given.');
      // The execution would keep all of the server's messages in memory.
      await execution.detach();
      return follow(execution.handle.taskId, options);
    },
    follow,
    async end() {
      await isDoneIn(Promise.all(cancels), cancelMs);
    },
  };
}

/**
 * The client doesn't know task results. From now on, a call that a task answers gives a result
 * without content. Its `_meta` has the task: see `readTaskId` of connection.ts.
 */
function passTasks({ transport }: Client): void {
  const hear = transport?.onmessage;
  if (!transport || !hear) throw new TypeError('Only a connected client is told of tasks.');
  transport.onmessage = (message, extra) => hear(toKnown(message), extra);
}

/**
 * Replaces a task result. For other requests the client then refuses it, because it lacks their
 * fields. The client also refuses a task without an id.
 */
function toKnown(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result['resultType'] !== 'task') return message;
  const { taskId } = message.result;
  const _meta = { [tasksExtension]: { taskId } };
  if (readTaskId({ _meta }) === undefined) return message;
  return { ...message, result: { resultType: 'complete', content: [], _meta } };
}

/** Waits for the result of a task of 2025-11-25. Dispose it. */
interface Waiting extends Disposable {
  /** Opens the stream, so that the server can send its requests. */
  open(): void;
  /** The result, or undefined after the time. Rejects if the task asks too many questions. */
  atMost(ms: number, signal: AbortSignal): Promise<{ readonly result: unknown } | undefined>;
}

/** A request that the extension has checked. */
type InputRequest =
  | { readonly method: 'elicitation/create'; readonly params: unknown }
  | {
      readonly method: 'sampling/createMessage';
      readonly params: Parameters<ServerAnswers['sample']>[0];
    }
  | { readonly method: 'roots/list' };

function answerOne(
  request: InputRequest,
  answers: ServerAnswers,
  signal: AbortSignal,
): Promise<unknown> | unknown {
  switch (request.method) {
    case 'elicitation/create':
      return answers.elicit(request.params, signal);
    case 'sampling/createMessage':
      return answers.sample(request.params, signal);
    case 'roots/list':
      return answers.roots();
  }
}

/**
 * Gets the present state of the task. An unreachable server is asked again, because the task
 * continues there.
 */
async function look(task: TaskController, signal: AbortSignal): Promise<TaskView> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await task.snapshot(signal);
    } catch (error) {
      const isAnswer = error instanceof JsonRpcResponseError;
      if (signal.aborted || isAnswer || tries >= maxUnheardPolls) throw error;
    }
    await pause(usualPollMs, signal);
  }
}

/** Reports each new message of the server once, up to the limits above. */
function createTeller(onProgress: ServerTaskOptions['onProgress']): (seen: TaskView) => void {
  let last: string | undefined;
  let words = 0;
  return ({ statusMessage }) => {
    if (statusMessage === undefined || words >= maxWords) return;
    const message = toPlainText(statusMessage, maxWordChars);
    if (message === last) return;
    last = message;
    words += 1;
    onProgress({ message });
  };
}

const isOver = ({ status }: TaskView) =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/**
 * The outcome of a task of 2026-07-28. Its result came with its state; the server may not give it
 * again.
 */
function toOutcome({ status, raw }: TaskView): TaskOutcome<unknown> {
  if (status === 'completed') return { status, result: raw['result'] };
  if (status !== 'failed') return { status: 'cancelled' };
  const { message } = raw['error'] as { readonly message: string };
  return { status, error: new TaskFailedError(message) };
}

function toPollMs({ suggestedPollIntervalMs = usualPollMs }: TaskView): number {
  return Math.min(Math.max(suggestedPollIntervalMs, minPollMs), maxPollMs);
}

/** Waits. Rejects with `aborted`. `wakes` gets a function that ends the wait early. */
function pause(
  ms: number,
  signal: AbortSignal,
  wakes: (wake: () => void) => void = () => undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = () => {
      timer[Symbol.dispose]();
      reject(createAbortError('The task was cut.'));
    };
    const end = () => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', cut);
      resolve();
    };
    const timer = systemClock.after(ms, end);
    wakes(end);
    if (signal.aborted) cut();
    else signal.addEventListener('abort', cut, { once: true });
  });
}

function tooMany(questions: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The server’s task has asked for input ${questions} times, and was cancelled. Call it with what it needs.`,
    { data: { questions } },
  );
}

/** Accepts any result, because the caller checks it. */
const anyResult = {
  parse: (value: unknown) => ({ success: true as const, value }),
};

const anyObject: StandardSchemaV1<unknown, JsonRecord> = {
  '~standard': {
    version: 1,
    vendor: 'rockpool',
    validate: (value) =>
      isRecord(value)
        ? { value: value as JsonRecord }
        : { issues: [{ message: 'it is no object' }] },
  },
};
