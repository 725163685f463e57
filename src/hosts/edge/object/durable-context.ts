// The part of a Durable Object's `ctx` that a session object uses, as a structural type that
// compiles without the Workers types.
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';

/** The part of `ctx.storage` that a session object uses in addition to SQLite. */
export interface ObjectStorage extends DurableStorage {
  /** `databaseSize`: the total size in bytes. */
  readonly sql: DurableStorage['sql'] & { readonly databaseSize?: number };
  /** Resolves when all earlier writes are on disk. */
  sync(): Promise<void>;
  /** The object's one alarm; null if none is set. */
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** The part of `ctx` that a session object uses. */
export interface DurableContext {
  readonly id: { toString(): string };
  readonly storage: ObjectStorage;
}
