// The part of a Durable Object's `ctx` that a session object uses, by shape: it compiles without the Workers types.
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';

/** The part of `ctx.storage` that a session object uses beside its SQLite. */
export interface ObjectStorage extends DurableStorage {
  /** `databaseSize`: what all of it takes, in bytes. */
  readonly sql: DurableStorage['sql'] & { readonly databaseSize?: number };
  /** Resolves when all that was written before is on disk. */
  sync(): Promise<void>;
  /** The one alarm of the object; null where none is set. */
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** The part of `ctx` that a session object uses. */
export interface DurableContext {
  readonly id: { toString(): string };
  readonly storage: ObjectStorage;
}
