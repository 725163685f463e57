// An executor that sends calls to other isolates, over a workspace in memory. The isolates run real handlers over the
// files that they were sent.
import * as z from 'zod';
import { onTestFinished } from 'vitest';
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import {
  createFanOutExecutor,
  type FanOutOptions,
} from '../../../src/hosts/edge/fan-out-executor.ts';
import { readFrames } from '../../../src/core/bytes/frames.ts';
import type { CallIsolate } from '../../../src/hosts/edge/isolate-wire.ts';
import { serveCalls } from '../../../src/hosts/edge/serve-calls.ts';
import type { WorkerToolEntry } from '../../../src/hosts/run-handler.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { FeedSource } from '../../../src/workspace/feed/serve-feed.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { done, ignore, requestOf } from '../stages/work-request.ts';

export type Handler = Awaited<ReturnType<WorkerToolEntry['load']>>['handler'];

export const entry = (name: string, handler: Handler): WorkerToolEntry => ({
  name,
  load: () => Promise.resolve({ inputSchema: z.looseObject({}), handler }),
});

interface Opened {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly options?: Partial<FanOutOptions>;
  /** Wraps an isolate. */
  readonly wrap?: (isolate: CallIsolate, at: number) => CallIsolate;
}

/** Disposed when the test is over. */
export async function openFanOut({ handlers, options, wrap = (isolate) => isolate }: Opened) {
  const writer = await openWorkspaceWriter(createMemoryMedium(), { name: 'fan-out' });
  const workspace = createWriterWorkspace(writer);
  const entries = Object.entries(handlers).map(([name, handler]) => entry(name, handler));
  /** What each isolate was sent, in order. */
  const sent: string[][] = [];
  const serving: ReturnType<typeof serveCalls>[] = [];
  const isolateAt = (at: number): CallIsolate => {
    sent[at] = [];
    serving[at] = serveCalls(entries);
    return wrap(
      {
        async fetch(url, init) {
          const request = new Request(url, init);
          for await (const message of readFrames(request.clone().body!)) {
            const { type, messages } = message as { type: string; messages?: { type: string }[] };
            sent[at]?.push(messages ? messages.map((part) => part.type).join('+') : type);
          }
          return serving[at]!(request);
        },
      },
      at,
    );
  };
  let followers = 0;
  const source: FeedSource = {
    get state() {
      return writer.state;
    },
    contents: writer.contents,
    onRecord(listener) {
      const listening = writer.onRecord(listener);
      followers += 1;
      return {
        [Symbol.dispose]() {
          listening[Symbol.dispose]();
          followers -= 1;
        },
      };
    },
  };
  const executor = createFanOutExecutor(
    {
      local: {
        start: () => ({
          reply: Promise.resolve(done('here')),
          interrupt: ignore,
          isBehind: () => false,
          kill: ignore,
          discard: ignore,
        }),
      },
      source,
    },
    { tools: Object.keys(handlers), isolate: isolateAt, ...options },
  );
  onTestFinished(async () => {
    executor[Symbol.dispose]();
    await workspace[Symbol.asyncDispose]();
  });
  let calls = 0;
  return {
    executor,
    workspace,
    sent,
    /** How many isolates follow the workspace. */
    followers: () => followers,
    /** Simulates a new start of the isolate. */
    forget: (at: number) => void (serving[at] = serveCalls(entries)),
    start(toolName: string, input: unknown = {}, changes: Partial<WorkRequest> = {}) {
      calls += 1;
      const progress: unknown[] = [];
      const request: WorkRequest = {
        ...requestOf(toolName, input, `call-${calls}`),
        address: { root: 'main', minSeq: workspace.seq() },
        isStateless: true,
        ...changes,
      };
      const work = executor.start(request, (news) => progress.push(news));
      return { ...work, progress };
    },
  };
}
