// The Durable Objects that the workerd tests run in (vitest.config.ts binds them).
import { DurableObject } from 'cloudflare:workers';

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- the Workers types are extended so
  namespace Cloudflare {
    interface Env {
      readonly STORE: DurableObjectNamespace<StoreObject>;
    }
  }
}

/** An object with a SQLite database and nothing else: tests get its storage by `runInDurableObject`. */
export class StoreObject extends DurableObject {}
