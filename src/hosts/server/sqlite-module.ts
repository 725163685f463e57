// SQLite as Node, Deno and Bun bring it: two modules that differ in their names and errors. Used by
// open-sqlite-storage.ts.
import { SdkError } from '../../core/errors.ts';

/** The part that both have. */
export interface SqliteDatabase {
  /** `all` runs a statement to its end. What gives no rows gives none. */
  prepare(text: string): { all(...bindings: readonly unknown[]): unknown[] };
  close(): void;
}

export type OpenDatabase = (path: string) => SqliteDatabase;

// By a name that bundlers don't follow: only Bun has it.
const bunModule: string = 'bun:sqlite';

/** @throws SdkError `unsupported-environment` where the runtime has no SQLite. */
export async function loadSqlite(): Promise<OpenDatabase> {
  try {
    if ('Bun' in globalThis) {
      const { Database } = (await import(/* @vite-ignore */ bunModule)) as {
        readonly Database: new (path: string) => SqliteDatabase;
      };
      return (path) => new Database(path);
    }
    const { DatabaseSync } = await import('node:sqlite');
    // The cast: what is bound is checked by the database, in both modules.
    return (path) => new DatabaseSync(path) as unknown as SqliteDatabase;
  } catch (cause) {
    throw new SdkError(
      'unsupported-environment',
      'This runtime has no SQLite of its own: use Node 22.13 or later, Deno 2.2 or later, or Bun.',
      { cause },
    );
  }
}
