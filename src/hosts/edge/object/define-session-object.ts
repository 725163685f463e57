// A Durable Object class that has only a session. For a class with more, use
// create-session-object.ts.
import { createSessionObject } from './create-session-object.ts';
import type { SessionObject } from './create-session-object.ts';
import type { SessionObjectOptions } from './session-object-options.ts';
import type { DurableContext } from './durable-context.ts';

/** The class that the runtime instantiates and sends events to. */
export interface SessionObjectClass<Env> {
  new (ctx: DurableContext, env: Env): SessionObjectHandlers;
}

/** Its handlers forward everything to `object`. */
export interface SessionObjectHandlers {
  readonly object: SessionObject;
  fetch(request: Request): Promise<Response>;
  alarm(): Promise<void>;
  webSocketMessage(socket: unknown, data: string | ArrayBuffer): Promise<void>;
  webSocketClose(socket: unknown, code: number, reason: string, wasClean: boolean): Promise<void>;
  webSocketError(socket: unknown, error: unknown): Promise<void>;
}

/**
 * Defines a Durable Object class with one session. Export it under the class name in
 * wrangler.jsonc. A request that isn't for the session gets 404.
 *
 * @example
 * ```ts
 * export const Session = defineSessionObject((env: Env) => ({ wasm, model: toModel(env.KEY) }));
 * ```
 */
export function defineSessionObject<Env>(
  toOptions: (env: Env) => SessionObjectOptions,
): SessionObjectClass<Env> {
  return class implements SessionObjectHandlers {
    readonly object: SessionObject;

    constructor(ctx: DurableContext, env: Env) {
      this.object = createSessionObject(ctx, toOptions(env));
    }

    async fetch(request: Request): Promise<Response> {
      const response = await this.object.fetch(request);
      return response ?? new Response('There is nothing here.\n', { status: 404 });
    }

    async alarm(): Promise<void> {
      await this.object.alarm();
    }

    async webSocketMessage(socket: unknown, data: string | ArrayBuffer): Promise<void> {
      await this.object.webSocketMessage(socket, data);
    }

    async webSocketClose(
      socket: unknown,
      code: number,
      reason: string,
      wasClean: boolean,
    ): Promise<void> {
      await this.object.webSocketClose(socket, code, reason, wasClean);
    }

    async webSocketError(socket: unknown, error: unknown): Promise<void> {
      await this.object.webSocketError(socket, error);
    }
  };
}
