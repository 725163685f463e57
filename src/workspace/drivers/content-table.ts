// Tables for contents in a bucket: which contents exist, the checksums of their parts, and since
// when they are unused. They also cache parts up to a byte limit. They are in the SQLite of a
// Durable Object, beside the log's rows. Used by r2-contents.ts.
import { SdkError } from '../../core/errors.ts';
import { storedName } from '../log/content-store.ts';
import type { DurableStorage, OwnedSql, SqlValue } from './do-sqlite.ts';

/** 1 MiB: a row may have 2 MB. Each part is read, verified and cached separately. */
export const partBytes = 1024 * 1024;

/**
 * `new`: its upload was requested and may be complete. `lost`: missing or damaged when it was read.
 * `doomed`: nothing refers to it, and it is being deleted.
 */
export type ContentState = 'new' | 'kept' | 'lost' | 'doomed';

/** One content in the bucket. */
export interface ContentRow {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
  readonly length: number;
  /** SHA-256 checksums of all parts, concatenated. */
  readonly sums: Uint8Array;
  readonly state: ContentState;
  /**
   * When the content became unused, in milliseconds since the epoch. Null if something refers to
   * it.
   */
  readonly unused: number | null;
}

const tables = [
  `CREATE TABLE IF NOT EXISTS rockpool_content (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, hash TEXT NOT NULL, length INTEGER NOT NULL,
    sums BLOB NOT NULL, state TEXT NOT NULL, unused INTEGER, cached INTEGER NOT NULL DEFAULT 0,
    used INTEGER NOT NULL DEFAULT 0)`,
  'CREATE TABLE IF NOT EXISTS rockpool_content_part (key INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
];

/** A part's key is `id * partSpan + part`, so a content has at most 1 TiB. */
const partSpan = 2 ** 20;

/** The contents of one workspace. Creates its tables. */
export class ContentTable {
  readonly #sql: OwnedSql;
  readonly #workspace: string;
  readonly #cacheBytes: number;
  /** Contents whose use this owner has recorded. Once is enough. */
  readonly #touched = new Set<number>();

  constructor(sql: OwnedSql, workspace: string, cacheBytes: number) {
    this.#sql = sql;
    this.#workspace = workspace;
    this.#cacheBytes = cacheBytes;
    for (const statement of tables) sql.query(statement);
  }

  isEmpty(): boolean {
    const text = 'SELECT id FROM rockpool_content WHERE workspace = ? LIMIT 1';
    return this.#sql.query(text, this.#workspace).length === 0;
  }

  all(): ContentRow[] {
    return this.#select('workspace = ?', this.#workspace);
  }

  find(id: number): ContentRow | undefined {
    return this.#select('workspace = ? AND id = ?', this.#workspace, id)[0];
  }

  /** Returns a content that is certainly in the bucket. */
  findKept(hash: string, length: number): ContentRow | undefined {
    const where = "workspace = ? AND hash = ? AND length = ? AND state = 'kept'";
    return this.#select(where, this.#workspace, hash, length)[0];
  }

  /**
   * Called before an upload. If the owner dies meanwhile, the row allows the content to be deleted.
   */
  add(
    { hash, length, sums }: Pick<ContentRow, 'hash' | 'length' | 'sums'>,
    now: number,
  ): ContentRow {
    const [row] = this.#sql.write(() =>
      this.#sql.query(
        `INSERT INTO rockpool_content (workspace, hash, length, sums, state, unused)
          VALUES (?, ?, ?, ?, 'new', ?) RETURNING id`,
        this.#workspace,
        hash,
        length,
        sums,
        now,
      ),
    );
    const id = Number(row?.['id']);
    return { id, name: storedName(hash, id), hash, length, sums, state: 'new', unused: now };
  }

  /** `unused` is null if something refers to the content, or is about to. */
  set(id: number, state: ContentState, unused: number | null): void {
    this.#sql.write(() => {
      const text = 'UPDATE rockpool_content SET state = ?, unused = ? WHERE id = ?';
      this.#sql.query(text, state, unused, id);
    });
  }

  /** A later write of the same bytes uploads them again. */
  noteLost({ id, unused }: ContentRow): void {
    const text = "UPDATE rockpool_content SET state = 'lost', unused = ? WHERE id = ?";
    this.#tryWrite(() => void this.#sql.query(text, unused, id));
  }

  remove(id: number): void {
    this.#sql.write(() => {
      this.#dropParts(id);
      this.#sql.query('DELETE FROM rockpool_content WHERE id = ?', id);
    });
  }

  /** Returns the cached part, or undefined if it isn't cached. */
  part(id: number, part: number): Uint8Array | undefined {
    const text = 'SELECT bytes FROM rockpool_content_part WHERE key = ?';
    const [row] = this.#sql.query(text, id * partSpan + part);
    const bytes = row?.['bytes'];
    return bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : undefined;
  }

  /** Records that the content was read, so that others are evicted first. */
  touch(id: number): void {
    if (this.#touched.has(id)) return;
    this.#touched.add(id);
    this.#tryWrite(() => this.#noteUse(id, 0));
  }

  /** Caches parts of a content, and evicts the least recently used ones to make room. */
  cache({ id, length }: ContentRow, parts: ReadonlyMap<number, Uint8Array>): void {
    // A single content must not evict all others.
    if (length > this.#cacheBytes / 2 || parts.size === 0) return;
    this.#tryWrite(() => {
      let added = 0;
      for (const [part, bytes] of parts) {
        const text =
          'INSERT OR IGNORE INTO rockpool_content_part (key, bytes) VALUES (?, ?) RETURNING key';
        const isNew = this.#sql.query(text, id * partSpan + part, bytes).length > 0;
        if (isNew) added += bytes.length;
      }
      this.#noteUse(id, added);
      this.#evict(id);
    });
  }

  #noteUse(id: number, added: number): void {
    const text = `UPDATE rockpool_content SET cached = cached + ?,
      used = (SELECT coalesce(max(used), 0) + 1 FROM rockpool_content) WHERE id = ?`;
    this.#sql.query(text, added, id);
  }

  #evict(but: number): void {
    const [row] = this.#sql.query('SELECT sum(cached) AS bytes FROM rockpool_content');
    let bytes = Number(row?.['bytes'] ?? 0);
    if (bytes <= this.#cacheBytes) return;
    const text =
      'SELECT id, cached FROM rockpool_content WHERE cached > 0 AND id <> ? ORDER BY used';
    for (const { id = null, cached = null } of this.#sql.query(text, but)) {
      if (bytes <= this.#cacheBytes) return;
      this.#dropParts(Number(id));
      this.#touched.delete(Number(id));
      bytes -= Number(cached);
    }
  }

  #dropParts(id: number): void {
    const text = 'DELETE FROM rockpool_content_part WHERE key >= ? AND key < ?';
    this.#sql.query(text, id * partSpan, (id + 1) * partSpan);
    this.#sql.query('UPDATE rockpool_content SET cached = 0 WHERE id = ?', id);
  }

  /**
   * An error is ignored: with a full database, or as a former owner, reading works without the
   * cache.
   */
  #tryWrite(change: () => void): void {
    try {
      this.#sql.write(change);
    } catch (error) {
      const code = SdkError.isInstance(error) ? error.code : undefined;
      if (code !== 'ENOSPC' && code !== 'EFENCED') throw error;
    }
  }

  #select(where: string, ...bindings: SqlValue[]): ContentRow[] {
    const text = `SELECT id, hash, length, sums, state, unused FROM rockpool_content WHERE ${where} ORDER BY id`;
    return this.#sql.query(text, ...bindings).map((row) => {
      const [id, hash] = [Number(row['id']), String(row['hash'])];
      const sums = row['sums'];
      return {
        id,
        name: storedName(hash, id),
        hash,
        length: Number(row['length']),
        sums: sums instanceof ArrayBuffer ? new Uint8Array(sums) : new Uint8Array(0),
        state: row['state'] as ContentState,
        unused: row['unused'] == null ? null : Number(row['unused']),
      };
    });
  }
}

/** Totals of what a database's workspaces have in a bucket, available without opening them. */
export interface ContentTotals {
  readonly count: number;
  /** Without the cache, which is part of the database's size. */
  readonly bytes: number;
  /** How many contents nothing is known to refer to. */
  readonly unused: number;
}

export function totalContents({ sql }: DurableStorage): ContentTotals {
  if (!hasTables(sql)) return { count: 0, bytes: 0, unused: 0 };
  const text = `SELECT count(*) AS count, coalesce(sum(length - cached), 0) AS bytes, count(unused) AS unused
    FROM rockpool_content`;
  const [row] = sql.exec(text).toArray();
  const [count, bytes, unused] = [row?.['count'], row?.['bytes'], row?.['unused']].map(Number);
  return { count: count ?? 0, bytes: bytes ?? 0, unused: unused ?? 0 };
}

/** For a session that is archived. The bucket's contents stay. */
export function dropCachedContents(storage: DurableStorage): void {
  const { sql } = storage;
  if (!hasTables(sql)) return;
  storage.transactionSync(() => {
    sql.exec('DELETE FROM rockpool_content_part');
    sql.exec('UPDATE rockpool_content SET cached = 0 WHERE cached > 0');
  });
}

/**
 * For a workspace that is deleted. The bucket's contents stay recorded, so that a later opening
 * deletes them.
 */
export function disownContents({ sql }: DurableStorage, workspace: string): void {
  if (!hasTables(sql)) return;
  const ids = 'SELECT id FROM rockpool_content WHERE workspace = ?';
  sql.exec(`DELETE FROM rockpool_content_part WHERE key / ${partSpan} IN (${ids})`, workspace);
  sql.exec(
    'UPDATE rockpool_content SET cached = 0, unused = coalesce(unused, ?) WHERE workspace = ?',
    Date.now(),
    workspace,
  );
}

/** Returns the hashes and ids of all contents that may be in the bucket. */
export function listContents({ sql }: DurableStorage): { hash: string; id: number }[] {
  if (!hasTables(sql)) return [];
  const rows = sql.exec('SELECT hash, id FROM rockpool_content').toArray();
  return rows.map(({ hash, id }) => ({ hash: String(hash), id: Number(id) }));
}

function hasTables(sql: DurableStorage['sql']): boolean {
  const find = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'rockpool_content'";
  return sql.exec(find).toArray().length > 0;
}
