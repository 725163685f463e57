// Tickets in a Durable Object's SQLite, so that a new instance knows which were used.
import type { WireRole } from '../../../wire/protocol.ts';
import type { TicketStore } from '../../../wire/tickets.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';

const tableSql = `CREATE TABLE IF NOT EXISTS rockpool_ticket (
  hash TEXT PRIMARY KEY, owner TEXT NOT NULL, role TEXT NOT NULL, expires INTEGER NOT NULL, taken INTEGER NOT NULL
) WITHOUT ROWID`;

/** Creates the table at its first use. */
export function createSqlTickets({ sql }: DurableStorage): TicketStore {
  return {
    add({ hash, owner, role, expires }, forgetBefore) {
      sql.exec(tableSql);
      sql.exec('DELETE FROM rockpool_ticket WHERE expires < ?', forgetBefore);
      const text =
        'INSERT INTO rockpool_ticket (hash, owner, role, expires, taken) VALUES (?, ?, ?, ?, 0)';
      sql.exec(text, hash, owner, role, expires);
    },
    take(hash) {
      sql.exec(tableSql);
      // Nothing is awaited between the two statements, so no other event runs in between.
      const [row] = sql.exec('SELECT * FROM rockpool_ticket WHERE hash = ?', hash).toArray();
      if (!row) return undefined;
      sql.exec('UPDATE rockpool_ticket SET taken = 1 WHERE hash = ?', hash);
      return {
        hash,
        owner: String(row['owner']),
        role: row['role'] as WireRole,
        expires: Number(row['expires']),
        wasTaken: row['taken'] === 1,
      };
    },
  };
}
