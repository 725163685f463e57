// A session as a capability of Cloudflare's Lifecycle (`agents/lifecycle`): beside others in one Durable Object, an
// `Agent` or a plain one. Lifecycle hands it the object's events, and its alarm is a job of Lifecycle's queue.
import { LifecycleCapability } from 'agents/lifecycle';
import type { DurableContext } from '../object/durable-context.ts';
import { createSessionObject } from '../object/create-session-object.ts';
import type { SessionObject } from '../object/create-session-object.ts';
import type { SessionObjectOptions } from '../object/session-object-options.ts';
import { createJobAlarm } from './job-alarm.ts';
import type { JobAlarm } from './job-alarm.ts';

/** To be given to `lifecycle.use()`, before the object starts. Its hooks are Lifecycle's to call. */
export interface SessionCapability extends LifecycleCapability {
  /** For the class's own methods. Lifecycle calls its `fetch`, `alarm` and `webSocket…`; nobody else does. */
  readonly object: SessionObject;
  onRequest(context: { readonly request: Request }): Promise<Response | undefined>;
  onWebSocketUpgrade(context: { readonly request: Request }): Promise<Response | undefined>;
  onWebSocketMessage(socket: unknown, data: SocketData): Promise<boolean>;
  onWebSocketClose(
    socket: unknown,
    code: number,
    reason: string,
    wasClean: boolean,
  ): Promise<boolean>;
  onWebSocketError(socket: unknown, error: unknown): Promise<boolean>;
  onJob(): Promise<undefined>;
  onJobError(): { readonly rescheduleAt: number };
}

/** What Lifecycle says that a socket has received. */
type SocketData = ArrayBuffer | ArrayBufferView | string;

/** A minute: what failed by itself isn't tried at once. */
const retryMs = 60_000;

/**
 * Makes the session's tables, and nothing else: to be called in the constructor. All of {@link
 * createSessionObject} holds for it, with two exceptions. The class hands on no event, and its own
 * future work are jobs of Lifecycle, or named alarms of `object`. A request that isn't for the
 * session goes on to the next capability. A step lasts as long as its model request and calls, and
 * other jobs of the object wait for it. A job may wait for the session's turn: a step that is due
 * for a second, while the queue runs other jobs, runs beside them.
 *
 * @throws SdkError `bad-usage` as `createSessionObject`.
 *
 * @example
 * ```ts
 * export class Chat extends DurableObject<Env> {
 *   readonly session = createSessionCapability(this.ctx, { wasm, model, wire: createObjectWire(this.ctx, …) });
 *   readonly lifecycle = Lifecycle.install(this).use(this.session);
 * }
 * ```
 */
export function createSessionCapability(
  ctx: DurableContext,
  options: SessionObjectOptions,
): SessionCapability {
  return new Capability(ctx, options);
}

class Capability extends LifecycleCapability implements SessionCapability {
  readonly object: SessionObject;
  readonly #alarm: JobAlarm;
  /** The newest step. Never rejects. */
  #stepped: Promise<void> = Promise.resolve();

  constructor({ id, storage }: DurableContext, options: SessionObjectOptions) {
    super('rockpool.session');
    this.#alarm = createJobAlarm(
      {
        sql: storage.sql,
        transactionSync: (closure) => storage.transactionSync(closure),
        sync: () => storage.sync(),
      },
      {
        jobs: async () => {
          // A method that a stub calls comes before any event that Lifecycle sees.
          await this.lifecycle.ready();
          return this.lifecycle.jobs;
        },
        // The job stands in the queue until then: there its failure is seen to, and it rings again.
        late: () => this.#step().catch(() => undefined),
      },
    );
    this.object = createSessionObject({ id, storage: this.#alarm.storage }, options);
  }

  onRequest({ request }: { readonly request: Request }): Promise<Response | undefined> {
    return this.object.fetch(request);
  }

  onWebSocketUpgrade({ request }: { readonly request: Request }): Promise<Response | undefined> {
    return this.object.fetch(request);
  }

  onWebSocketMessage(socket: unknown, data: SocketData): Promise<boolean> {
    return this.object.webSocketMessage(socket, toPlainData(data));
  }

  onWebSocketClose(
    socket: unknown,
    code: number,
    reason: string,
    wasClean: boolean,
  ): Promise<boolean> {
    return this.object.webSocketClose(socket, code, reason, wasClean);
  }

  onWebSocketError(socket: unknown, error: unknown): Promise<boolean> {
    return this.object.webSocketError(socket, error);
  }

  /** What is to come next is pushed again meanwhile, which wins over what this resolves with: the end of the job. */
  async onJob(): Promise<undefined> {
    const ringing = this.#alarm.ring();
    try {
      await this.#step();
    } finally {
      ringing[Symbol.dispose]();
    }
  }

  /** One after the other: what is due rings once, by the queue or beside it. */
  #step(): Promise<void> {
    const step = this.#stepped.then(async () => void (await this.object.alarm()));
    this.#stepped = step.catch(() => undefined);
    return step;
  }

  /** Holds only where the session has set no alarm itself. */
  onJobError(): { readonly rescheduleAt: number } {
    return { rescheduleAt: Date.now() + retryMs };
  }
}

function toPlainData(data: SocketData): ArrayBuffer | string {
  if (!ArrayBuffer.isView(data)) return data;
  const { buffer, byteOffset, byteLength } = data;
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
