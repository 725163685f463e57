// A Durable Object's storage that counts the rows which SQLite reads and writes, as they are billed.
import type { DurableStorage } from '../../../src/workspace/drivers/do-sqlite.ts';

export interface RowCounts {
  read: number;
  written: number;
}

/** The part of workerd's `SqlStorageCursor` that counts. */
interface Cursor {
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

/** Adds to `counts` what each query of the same storage costs. */
export function counting(storage: DurableStorage, counts: RowCounts): DurableStorage {
  return {
    sql: {
      exec(query, ...bindings) {
        const cursor = storage.sql.exec(query, ...bindings);
        return {
          toArray() {
            const rows = cursor.toArray();
            const { rowsRead, rowsWritten } = cursor as unknown as Cursor;
            counts.read += rowsRead;
            counts.written += rowsWritten;
            return rows;
          },
        };
      },
    },
    transactionSync: (closure) => storage.transactionSync(closure),
  };
}
