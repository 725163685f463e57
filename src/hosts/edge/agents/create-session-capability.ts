// A session as a capability of Cloudflare's Lifecycle (`agents/lifecycle`). It can share a Durable
// Object with other capabilities, in an `Agent` or a plain class. Lifecycle passes the object's
// events to it. Its alarm is a job of Lifecycle's queue.
import { LifecycleCapability } from 'agents/lifecycle';
import type { DurableContext } from '../object/durable-context.ts';
import { createSessionObject } from '../object/create-session-object.ts';
import type { SessionObject } from '../object/create-session-object.ts';
import type { SessionObjectOptions } from '../object/session-object-options.ts';
import { createJobAlarm } from './job-alarm.ts';
import type { JobAlarm } from './job-alarm.ts';

/** Pass it to `lifecycle.use()` before the object starts. Only Lifecycle calls its hooks. */
export interface SessionCapability extends LifecycleCapability {
  /** For the class's own methods. Only Lifecycle calls its `fetch`, `alarm` and `webSocket…`. */
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

/** The data that a socket has received, as Lifecycle passes it. */
type SocketData = ArrayBuffer | ArrayBufferView | string;

/** One minute: the delay before a failed job is retried. */
const retryMs = 60_000;

/**
 * Creates the session's tables, and nothing else. Call it in the constructor. It works like
 * {@link createSessionObject}, with two exceptions. The class forwards no events, and schedules its own
 * work as jobs of Lifecycle or as named alarms of `object`. A request that isn't for the session
 * goes to the next capability. A step lasts as long as its model request and calls, and the
 * object's other jobs wait for it. A job may wait for the session's turn. If the queue runs other
 * jobs for more than a second, a due step runs beside them.
 *
 * @throws SdkError `bad-usage`, like `createSessionObject`
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
          // A method called through a stub may run before Lifecycle has handled any event.
          await this.lifecycle.ready();
          return this.lifecycle.jobs;
        },
        // The step's job stays in the queue, which handles the failure and runs it again.
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

  /**
   * Later work is pushed to the queue during this job. That push takes precedence over the resolved
   * value, which would end the job.
   */
  async onJob(): Promise<undefined> {
    const ringing = this.#alarm.ring();
    try {
      await this.#step();
    } finally {
      ringing[Symbol.dispose]();
    }
  }

  /**
   * Steps run one after the other. A due step runs once, whether the queue or the late timer starts
   * it.
   */
  #step(): Promise<void> {
    const step = this.#stepped.then(async () => void (await this.object.alarm()));
    this.#stepped = step.catch(() => undefined);
    return step;
  }

  /** Applies only if the session has set no alarm itself. */
  onJobError(): { readonly rescheduleAt: number } {
    return { rescheduleAt: Date.now() + retryMs };
  }
}

function toPlainData(data: SocketData): ArrayBuffer | string {
  if (!ArrayBuffer.isView(data)) return data;
  const { buffer, byteOffset, byteLength } = data;
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
