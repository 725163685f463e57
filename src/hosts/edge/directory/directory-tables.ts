// The directory's tables in the SQLite of the owner's object. All functions are synchronous, so the
// changes of one call are stored together or not at all.
import type { DurableStorage, SqlValue } from '../../../workspace/drivers/do-sqlite.ts';

/** A session's row. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly created: number;
  readonly updated: number;
  readonly archived: number;
  readonly deleting: number;
  readonly bytes: number;
  readonly turns: number;
  readonly tokens: number;
  readonly usd: number;
  /** When its turn began; 0 if none runs. */
  readonly running: number;
  /** The number of the report that ended its last turn. */
  readonly ended: number;
  /** 1 while it waits for a person. */
  readonly asking: number;
}

/** The amounts spent, and how many turns and requests have an unknown price. */
export interface Spent {
  readonly tokens: number;
  readonly usd: number;
  readonly unpriced: number;
}

/** Which rows to list, the newest first. */
export interface ListedRows {
  /** Left out: both archived sessions and others. */
  readonly archived: boolean | undefined;
  /** Ids of rows to leave out. */
  readonly without: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

const schema = [
  `CREATE TABLE IF NOT EXISTS rockpool_session (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0, deleting INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, turns INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
    usd REAL NOT NULL DEFAULT 0, running INTEGER NOT NULL DEFAULT 0, ended INTEGER NOT NULL DEFAULT -1
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS rockpool_begun (
    id TEXT PRIMARY KEY, behind INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS rockpool_waiting (
    id TEXT PRIMARY KEY, since INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS rockpool_asking (
    id TEXT PRIMARY KEY
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS rockpool_spent (
    period TEXT PRIMARY KEY, tokens INTEGER NOT NULL, usd REAL NOT NULL, unpriced INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS rockpool_reserved (
    id TEXT PRIMARY KEY, begun INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL NOT NULL
  ) WITHOUT ROWID`,
];

/** The columns of a {@link SessionRow}. */
const columns = '*, id IN (SELECT id FROM rockpool_asking) AS asking';

export class DirectoryTables {
  readonly #storage: DurableStorage;

  /** Only creates the tables. */
  constructor(storage: DurableStorage) {
    this.#storage = storage;
    for (const text of schema) this.#query(text);
  }

  /** Runs `change` in one transaction. */
  write<Value>(change: () => Value): Value {
    return this.#storage.transactionSync(change);
  }

  find(id: string): SessionRow | undefined {
    return this.#query(`SELECT ${columns} FROM rockpool_session WHERE id = ?`, id)[0] as
      SessionRow | undefined;
  }

  list({ archived, without, limit, offset }: ListedRows): readonly SessionRow[] {
    return this.#query(
      `SELECT ${columns} FROM rockpool_session
       WHERE archived IN (?, ?) AND id NOT IN (SELECT value FROM json_each(?))
       ORDER BY updated DESC, id LIMIT ? OFFSET ?`,
      archived === true ? 1 : 0,
      archived === false ? 0 : 1,
      JSON.stringify(without),
      limit,
      offset,
    ) as unknown as SessionRow[];
  }

  add(id: string, title: string, now: number): void {
    this.#query(
      'INSERT INTO rockpool_session (id, title, created, updated) VALUES (?, ?, ?, ?)',
      id,
      title,
      now,
      now,
    );
  }

  set(id: string, fields: Partial<Omit<SessionRow, 'id' | 'asking'>>): void {
    const names = Object.keys(fields).map((name) => `${name} = ?`);
    this.#query(
      `UPDATE rockpool_session SET ${names.join(', ')} WHERE id = ?`,
      ...Object.values(fields),
      id,
    );
  }

  remove(id: string): void {
    this.#query('DELETE FROM rockpool_session WHERE id = ?', id);
    this.#query('DELETE FROM rockpool_begun WHERE id = ?', id);
    this.setAsking(id, false);
    this.stopWaiting(id);
  }

  setAsking(id: string, isAsking: boolean): void {
    if (isAsking) this.#query('INSERT OR IGNORE INTO rockpool_asking VALUES (?)', id);
    else this.#query('DELETE FROM rockpool_asking WHERE id = ?', id);
  }

  /** Begins a turn. Reports with a number up to `behind` don't end it. */
  begin(id: string, behind: number): void {
    this.#query('INSERT OR REPLACE INTO rockpool_begun VALUES (?, ?)', id, behind);
    this.stopWaiting(id);
  }

  begunBehind(id: string): number {
    const [row] = this.#query('SELECT behind FROM rockpool_begun WHERE id = ?', id);
    return row ? Number(row['behind']) : -1;
  }

  /** Marks that the session waits for a turn. An earlier begin of its wait is kept. */
  wait(id: string, now: number): void {
    this.#query('INSERT OR IGNORE INTO rockpool_waiting VALUES (?, ?)', id, now);
  }

  /** The waiting sessions, the longest wait first. */
  waiting(): readonly string[] {
    return this.#query('SELECT id FROM rockpool_waiting ORDER BY since, id').map(({ id }) =>
      String(id),
    );
  }

  /** Returns false if the session doesn't wait. */
  stopWaiting(id: string): boolean {
    return this.#query('DELETE FROM rockpool_waiting WHERE id = ? RETURNING id', id).length > 0;
  }

  /**
   * The number of sessions, their bytes and the number of running turns. A turn counts if it began
   * after `since` and doesn't wait for a person. `session`'s own turn isn't counted.
   */
  totals(
    session: string,
    since: number,
  ): { readonly sessions: number; readonly bytes: number; readonly running: number } {
    const [row] = this.#query(
      `SELECT count(*) AS sessions, coalesce(sum(bytes), 0) AS bytes,
        coalesce(sum(running > ? AND id <> ? AND id NOT IN (SELECT id FROM rockpool_asking)), 0) AS running
       FROM rockpool_session`,
      since,
      session,
    );
    return row as unknown as { sessions: number; bytes: number; running: number };
  }

  spent(period: string): Spent {
    const [row] = this.#query('SELECT * FROM rockpool_spent WHERE period = ?', period);
    return (row as Spent | undefined) ?? { tokens: 0, usd: 0, unpriced: 0 };
  }

  spend(period: string, { tokens, usd, unpriced }: Spent): void {
    // The rows of earlier periods aren't needed any more.
    this.#query('DELETE FROM rockpool_spent WHERE period <> ?', period);
    this.#query(
      `INSERT INTO rockpool_spent VALUES (?, ?, ?, ?) ON CONFLICT (period) DO UPDATE SET
        tokens = tokens + excluded.tokens, usd = usd + excluded.usd,
        unpriced = unpriced + excluded.unpriced`,
      period,
      tokens,
      usd,
      unpriced,
    );
  }

  reserve(id: string, begun: number, tokens: number, usd: number): void {
    this.#query(
      'INSERT OR IGNORE INTO rockpool_reserved VALUES (?, ?, ?, ?)',
      id,
      begun,
      tokens,
      usd,
    );
  }

  /** Returns false if no reservation has that id. */
  release(id: string): boolean {
    return this.#query('DELETE FROM rockpool_reserved WHERE id = ? RETURNING id', id).length > 0;
  }

  isReserved(id: string): boolean {
    return this.#query('SELECT id FROM rockpool_reserved WHERE id = ?', id).length > 0;
  }

  reserved(): { readonly tokens: number; readonly usd: number } {
    const [row] = this.#query(
      'SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(usd), 0) AS usd FROM rockpool_reserved',
    );
    return row as unknown as { tokens: number; usd: number };
  }

  /** Deletes the reservations that began before that time and returns them. */
  lapse(before: number): readonly { readonly tokens: number; readonly usd: number }[] {
    return this.#query(
      'DELETE FROM rockpool_reserved WHERE begun < ? RETURNING tokens, usd',
      before,
    ) as unknown as { tokens: number; usd: number }[];
  }

  #query(text: string, ...bindings: SqlValue[]): Record<string, SqlValue>[] {
    return this.#storage.sql.exec(text, ...bindings).toArray();
  }
}
