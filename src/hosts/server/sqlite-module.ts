// SQLite as Node, Deno and Bun bring it: two modules that differ in their names and errors. Used by
// open-sqlite-storage.ts.
import { SdkError } from '../../core/errors.ts';

/** A database as both give it. */
export interface SqliteDatabase {
  /** Runs one statement to its end. */
  run(text: string, bindings: readonly unknown[]): unknown[];
  close(): void;
}

export type OpenDatabase = (path: string) => SqliteDatabase;

interface BunDatabase {
  prepare(text: string): { all(...bindings: readonly unknown[]): unknown[]; finalize(): void };
  close(): void;
}

// By a name that bundlers don't follow: only Bun has it.
const bunModule: string = 'bun:sqlite';

/** @throws SdkError `unsupported-environment` where the runtime has no SQLite. */
export async function loadSqlite(): Promise<OpenDatabase> {
  try {
    return 'Bun' in globalThis ? await loadOfBun() : await loadOfNode();
  } catch (cause) {
    throw new SdkError(
      'unsupported-environment',
      'This runtime has no SQLite of its own: use Node 22.13 or later, Deno 2.2 or later, or Bun.',
      { cause },
    );
  }
}

async function loadOfNode(): Promise<OpenDatabase> {
  const { DatabaseSync } = await import('node:sqlite');
  return (path) => {
    const database = new DatabaseSync(path);
    return {
      // The cast: what is bound is checked by the database.
      run: (text, bindings) => database.prepare(text).all(...(bindings as readonly string[])),
      close: () => database.close(),
    };
  };
}

async function loadOfBun(): Promise<OpenDatabase> {
  const { Database } = (await import(/* @vite-ignore */ bunModule)) as {
    readonly Database: new (path: string) => BunDatabase;
  };
  return (path) => {
    const database = new Database(path);
    return {
      run(text, bindings) {
        const statement = database.prepare(text);
        try {
          return statement.all(...bindings);
        } finally {
          // One that is left keeps the file locked after the close.
          statement.finalize();
        }
      },
      close: () => database.close(),
    };
  };
}
