// A conversation on a real host whose model the test controls, for background tasks and concurrent
// calls.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { createMessageQueue } from '../../../src/core/async/message-queue.ts';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type {
  SDKMessage,
  SDKTaskNotificationMessage,
  SDKUserMessage,
} from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { ReplOutput } from '../../../src/tools/repl/schema.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { InlineHostOptions } from '../../../src/hosts/inline/create-inline-host.ts';
import { createDirectedModel } from '../models/directed-model.ts';
import type { Asked } from '../models/directed-model.ts';
import { plainTool } from '../stages/test-tools.ts';

/** What makes a cell run in the background. */
export const background = { run_in_background: true } as const;

/** A cell's code that never ends by itself. */
export const forever = 'await new Promise((resolve) => setTimeout(resolve, 1e9));';

/** The id of the task that the last call started. */
export function taskOf(conversation: Conversation): string {
  const { backgroundTaskId } = conversation.lastOutput();
  if (backgroundTaskId === undefined) throw new Error('The last call started no task.');
  return backgroundTaskId;
}

/** With a file of three lines, `a.txt`. Dispose it. */
export async function openTaskHost(options: InlineHostOptions = {}): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm, ...options });
  await host.workspace.fs.writeFile('/workspace/a.txt', 'one\ntwo\nthree\n');
  return host;
}

export interface Conversation {
  readonly query: Query;
  readonly messages: readonly SDKMessage[];
  /** The next request of the agent. */
  asked(): Promise<Asked>;
  /** Runs a cell to its result, as the model's answer to `from`, and gives the next request. */
  cell(from: Asked, code: string, input?: Readonly<Record<string, unknown>>): Promise<Asked>;
  /** The output of the call that was settled last. */
  lastOutput(): ReplOutput;
  say(text: string): void;
  /** Waits for the first message of this kind, including messages that have already arrived. */
  seen<Message extends SDKMessage>(
    isIt: (message: SDKMessage) => message is Message,
  ): Promise<Message>;
  /** Waits for the end of a task. */
  taskEnd(taskId: string): Promise<SDKTaskNotificationMessage>;
  /** Ends the prompts; the model answers only "Done." from now on. Resolves when the query has ended. */
  end(): Promise<void>;
}

/** A tool that waits for the test. A cell that calls it is paused at that point. */
export interface HoldTool {
  readonly tool: Tool;
  /** Resolves when it was called. */
  readonly isCalled: Promise<void>;
  /** Resolves when the call is cut. */
  readonly isCut: Promise<void>;
  /** Lets the call return, and all further ones. */
  release(): void;
  /** True if it was called and not cut. */
  isRunning(): boolean;
}

export function createHoldTool(): HoldTool {
  let isRunning = false;
  const { promise: isCalled, resolve: call } = createDeferred();
  const { promise: isCut, resolve: cut } = createDeferred();
  const { promise: isReleased, resolve: release } = createDeferred();
  const { runsIn: _, ...rest } = plainTool({ name: 'Hold', isReadOnly: () => true }) as Tool & {
    readonly runsIn: 'worker';
  };
  const tool: Tool = {
    ...rest,
    async call(_input, { abortController }) {
      abortController.signal.addEventListener('abort', () => {
        isRunning = false;
        cut();
      });
      isRunning = !abortController.signal.aborted;
      call();
      await isReleased;
      return { data: 'released' };
    },
  };
  return { tool, isCalled, isCut, release: () => release(), isRunning: () => isRunning };
}

/** With `prompt` the query has only this prompt. Without it, `say` gives the prompts. */
export function converse(
  host: Host,
  options: Omit<QueryOptions, 'host' | 'model'> & { readonly prompt?: string } = {},
): Conversation {
  const { prompt, ...rest } = options;
  const model = createDirectedModel();
  const prompts = createMessageQueue<SDKUserMessage>();
  const running = query({
    prompt: prompt ?? prompts,
    options: { permissionMode: 'acceptEdits', ...rest, host, model },
  });
  const messages: SDKMessage[] = [];
  const waiting: (() => void)[] = [];
  const read = async () => {
    for await (const message of running) {
      messages.push(message);
      for (const wake of waiting.splice(0)) wake();
    }
  };
  const ended = read();
  const seen = async <Message extends SDKMessage>(
    isIt: (message: SDKMessage) => message is Message,
  ): Promise<Message> => {
    for (;;) {
      const found = messages.find(isIt);
      if (found) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  let calls = 0;
  return {
    query: running,
    messages,
    asked: () => model.next(),
    async cell(from, code, input = {}) {
      calls += 1;
      from.call({ id: `cell-${calls}`, name: 'Repl', input: { code, ...input } });
      return model.next();
    },
    lastOutput() {
      const last = messages.findLast((message) => message.type === 'user');
      return last?.tool_use_result as ReplOutput;
    },
    say: (content) =>
      prompts.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null }),
    seen,
    async taskEnd(taskId) {
      if (taskId === '') throw new Error('No task was started, so none ends.');
      return seen(
        (message): message is SDKTaskNotificationMessage =>
          message.type === 'system' &&
          message.subtype === 'task_notification' &&
          message.task_id === taskId,
      );
    },
    async end() {
      prompts.end();
      const answerAll = async () => {
        for (;;) (await model.next()).say('Done.');
      };
      void answerAll();
      await ended;
    },
  };
}
