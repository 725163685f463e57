// The Durable Objects that the workerd tests run in, and send calls to (vitest.config.ts binds them).
import { DurableObject } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import * as z from 'zod';
import { serveCalls, workers, type WorkerToolEntry } from '../../src/edge.ts';

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- the Workers types are extended so
  namespace Cloudflare {
    interface Env {
      readonly STORE: DurableObjectNamespace<StoreObject>;
      readonly CALLS: DurableObjectNamespace<CallsObject>;
    }
  }
}

/** An object with a SQLite database and nothing else: tests get its storage by `runInDurableObject`. */
export class StoreObject extends DurableObject {}

const entry = (
  name: string,
  handler: Awaited<ReturnType<WorkerToolEntry['load']>>['handler'],
): WorkerToolEntry => ({
  name,
  load: () => Promise.resolve({ inputSchema: z.looseObject({}), handler }),
});

/** An object that calls are sent to: the built-in tools, and some that tell where they are. */
export class CallsObject extends DurableObject {
  /** Calls of `Hold` that were cut. */
  #cut = 0;
  readonly #serve = serveCalls(
    [
      ...workers,
      entry('Where', async () => this.ctx.id.name),
      entry('Hold', (_input, { signal, progress }) => {
        progress('held');
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            this.#cut += 1;
            reject(signal.reason);
          });
        });
      }),
      entry('Cut', async () => this.#cut),
      entry('Break', async () => this.ctx.abort('It broke.')),
    ],
    { wasm },
  );

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }
}
