// The reports of a session's object to its owner's directory about its turns. They are kept in the object's SQLite
// until the directory has acknowledged them, so a kill after the turn's end doesn't lose them.
import { hasCode } from '../../../core/errors.ts';
import type { UsageRecord } from '../../../core/session/journal.ts';
import type { Usage } from '../../../core/messages/messages.ts';
import type { DurableStorage, SqlValue } from '../../../workspace/drivers/do-sqlite.ts';
import type { DirectoryPort, TurnReport } from './session-directory.ts';

/** Created once per instance. */
export interface TurnReports {
  /** Call it when the directory has admitted a turn. */
  began(): void;
  /**
   * Call it when the journal has recorded entry `n`. Returns true if that entry has ended a turn,
   * which must then be reported.
   */
  heard(
    session: string,
    n: number,
    entry: Readonly<Record<string, unknown>>,
    stored: () => number,
  ): boolean;
  /**
   * Call it when the session has moved away, or when work without a result has ended. Returns true
   * if its usage so far must be reported.
   */
  left(session: string, stored: () => number): boolean;
  /**
   * Call it when an admitted turn hasn't begun. Returns true if the directory must be told that
   * none runs.
   */
  neverBegan(session: string, stored: () => number): boolean;
  /** The number of the newest report; -1 if there was none. */
  newest(): number;
  /**
   * Records a model request, which becomes part of the next turn that ends. `usd` is null if its
   * price is unknown.
   */
  used(usage: Usage, usd: number | null): void;
  /**
   * Records that the journal's entry `n` has ended the turn. `bytes`: what the object stores. Its
   * report gets a higher number than all earlier ones, even if the session has another journal now.
   */
  ended(session: string, n: number, bytes: number): void;
  /**
   * Sends the pending reports in order. If a report is refused, its counts are added to the next
   * report, so it doesn't block the others. The last one is kept. Rejects if the directory can't be
   * reached, or refuses the last report.
   */
  tell(): Promise<void>;
  /** Records whether the session's turn waits for a person. */
  asks(isAsking: boolean): void;
  /** The value of the last `asks` call. */
  isAsking(): boolean;
  /**
   * Returns true if the session's state must be reported although no turn has ended. That is so if
   * the last report was refused, or differs by 1 MB or in `isAsking`.
   */
  isNews(bytes: number): boolean;
  /** Records that a state was reported, and whether it was refused. */
  told(state: SessionState, isRefused: boolean): void;
  /**
   * Call it when `tell` has failed. Returns the delay before the next attempt in milliseconds: one
   * minute, doubled each time, at most two days.
   */
  putOff(): number;
}

const schema = `CREATE TABLE IF NOT EXISTS rockpool_report (
  n INTEGER PRIMARY KEY, session TEXT NOT NULL, report TEXT NOT NULL)`;

// Numbers below 0 belong to no entry: these rows are the table's own notes.

/** The turn that hasn't ended. */
const open = -1;

/** The number of the newest report. */
const newest = -2;

/** The delay before the last attempt. */
const waited = -3;

/** The state that was reported last. */
const told = -4;

/** The row exists while the turn waits for a person. */
const asking = -5;

/** 1 MB: a smaller change is reported with the next turn. */
const newsBytes = 1_000_000;

const minuteMs = 60_000;

const twoDaysMs = 2 * 24 * 60 * minuteMs;

/** What a directory stores about a session apart from its turns. */
export interface SessionState {
  /** What its object stores. */
  readonly bytes: number;
  readonly isAsking: boolean;
}

interface ToldState extends SessionState {
  readonly isRefused: boolean;
}

interface OpenTurn {
  readonly usage: Usage;
  readonly usd: number | null;
}

const nothing: OpenTurn = { usage: { input_tokens: 0, output_tokens: 0 }, usd: 0 };

/** Only creates its table. */
export function createTurnReports(
  { sql }: Pick<DurableStorage, 'sql'>,
  directory: Pick<DirectoryPort, 'endTurn'>,
): TurnReports {
  const query = (text: string, ...values: SqlValue[]) => sql.exec(text, ...values).toArray();
  query(schema);
  let telling: Promise<void> | undefined;

  const readOpen = (): OpenTurn => {
    const [row] = query('SELECT report FROM rockpool_report WHERE n = ?', open);
    return row ? (JSON.parse(String(row['report'])) as OpenTurn) : nothing;
  };
  const isOpen = () => query('SELECT n FROM rockpool_report WHERE n = ?', open).length > 0;
  const nextNumber = (): number => {
    const [row] = query('SELECT report FROM rockpool_report WHERE n = ?', newest);
    return row ? Number(row['report']) + 1 : 0;
  };
  const write = (
    n: number,
    session: string,
    report: OpenTurn | TurnReport | ToldState | number,
  ): void => {
    const text = JSON.stringify(report);
    query('INSERT OR REPLACE INTO rockpool_report VALUES (?, ?, ?)', n, session, text);
  };

  const readAfter = (n: number): TurnReport | undefined => {
    const [row] = query('SELECT report FROM rockpool_report WHERE n > ? ORDER BY n LIMIT 1', n);
    return row && (JSON.parse(String(row['report'])) as TurnReport);
  };
  const remove = (n: number) => query('DELETE FROM rockpool_report WHERE n = ?', n);

  const readTold = (): ToldState => {
    const [row] = query('SELECT report FROM rockpool_report WHERE n = ?', told);
    const none = { bytes: 0, isAsking: false, isRefused: false };
    return { ...none, ...(row && (JSON.parse(String(row['report'])) as ToldState)) };
  };

  async function tellAll(): Promise<void> {
    for (let report = readAfter(open); report; report = readAfter(open)) {
      try {
        await directory.endTurn(report);
        const { bytes } = report;
        if (bytes !== undefined) reports.told({ ...readTold(), bytes }, false);
      } catch (error) {
        const next = readAfter(report.n);
        if (!isRefusedReport(error) || !next) throw error;
        write(next.n, next.session, { ...next, ...sumOf(report, next) });
      }
      remove(report.n);
    }
  }

  const reports: TurnReports = {
    began: () => write(open, '', readOpen()),
    heard(session, n, entry, stored) {
      const { type } = entry;
      if (type === 'usage') {
        const { usage, usd, basis } = entry as unknown as UsageRecord;
        reports.used(usage, basis === 'unknown' ? null : usd);
      }
      if (type === 'result') reports.ended(session, n, stored());
      // /clear has ended the session; its other records are in the journal that was left.
      return type === 'result' || (type === 'moved' && reports.left(session, stored));
    },
    left(session, stored) {
      if (!isOpen()) return false;
      reports.ended(session, 0, stored());
      return true;
    },
    neverBegan(session, stored) {
      if (isOpen()) return false;
      reports.ended(session, 0, stored());
      return true;
    },
    newest: () => nextNumber() - 1,
    used(usage, usd) {
      write(open, '', sumOf(readOpen(), { usage, usd }));
    },
    ended(session, n, bytes) {
      const number = Math.max(n, nextNumber());
      write(number, session, { session, n: number, bytes, ...readOpen() });
      write(newest, '', number);
      remove(open);
    },
    tell: () => (telling ??= tellAll().finally(() => (telling = undefined))),
    asks(isAsking) {
      if (isAsking === reports.isAsking()) return;
      if (isAsking) write(asking, '', 1);
      else remove(asking);
    },
    isAsking: () => query('SELECT n FROM rockpool_report WHERE n = ?', asking).length > 0,
    isNews(bytes) {
      const last = readTold();
      const isMuch = Math.abs(bytes - last.bytes) >= newsBytes;
      return isMuch || last.isRefused || last.isAsking !== reports.isAsking();
    },
    told({ bytes, isAsking }, isRefused) {
      write(told, '', { bytes, isAsking, isRefused });
      remove(waited);
    },
    putOff() {
      const [row] = query('SELECT report FROM rockpool_report WHERE n = ?', waited);
      const wait = row ? Math.min(Number(row['report']) * 2, twoDaysMs) : minuteMs;
      write(waited, '', wait);
      return wait;
    },
  };
  return reports;
}

const counters = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/**
 * The directory has received the report and rejected it. Either its version differs, or this code
 * has a bug.
 */
export function isRefusedReport(error: unknown): boolean {
  return hasCode(error, 'bad-usage');
}

/** Sums only the counters that a budget needs. A refused report may have others. */
function sumOf(one: OpenTurn, other: OpenTurn): OpenTurn {
  const usage = Object.fromEntries(
    counters.map((name) => [name, toCount(one.usage[name]) + toCount(other.usage[name])]),
  ) as unknown as Usage;
  const isPriced = one.usd !== null && other.usd !== null;
  return { usage, usd: isPriced ? toCount(one.usd) + toCount(other.usd) : null };
}

function toCount(value: number | null | undefined): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}
