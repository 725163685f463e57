// The reports of a session's object to its owner's directory about its turns. They are kept in the object's SQLite until
// the directory has acknowledged them, so a kill after the turn's end doesn't lose them.
import { SdkError } from '../../../core/errors.ts';
import type { UsageRecord } from '../../../core/session/journal.ts';
import type { Usage } from '../../../core/messages/messages.ts';
import type { DurableStorage, SqlValue } from '../../../workspace/drivers/do-sqlite.ts';
import type { DirectoryPort, TurnReport } from './session-directory.ts';

/** Made once an instance. */
export interface TurnReports {
  /** The directory has let a turn begin. */
  began(): void;
  /** An entry `n` of the journal was recorded. True: by it a turn has ended, which is to be told. */
  heard(
    session: string,
    n: number,
    entry: Readonly<Record<string, unknown>>,
    stored: () => number,
  ): boolean;
  /** The session is given away, or work without a result has ended. True: what it has used until here is to be told. */
  left(session: string, stored: () => number): boolean;
  /** A turn that was to begin has not. True: none is under way, and that is to be told. */
  neverBegan(session: string, stored: () => number): boolean;
  /** The newest report's number; -1: there was none. */
  newest(): number;
  /** A request was made: it is part of the next turn that ends. `usd` is null where its price isn't known. */
  used(usage: Usage, usd: number | null): void;
  /**
   * The turn ended by the journal's entry `n`; `bytes` are what the object stores. Its report's number is above those
   * before, also where the session's journal is another one now.
   */
  ended(session: string, n: number, bytes: number): void;
  /**
   * Tells what wasn't told yet, in order. What a report that is refused has counted goes into the next one, so that it
   * keeps nobody waiting; the last one stays. Rejects where the directory can't be told, or refuses the last one.
   */
  tell(): Promise<void>;
  /** The session's turn waits for a person from now on, or doesn't any more. */
  asks(isAsking: boolean): void;
  /** As it was said last. */
  isAsking(): boolean;
  /**
   * Must the session's state be reported without a turn? Yes, if the last one that was told differs by 1 MB, or in
   * whether a person is waited for, or was refused.
   */
  isNews(bytes: number): boolean;
  /** It was told, and refused or not. */
  told(state: SessionState, isRefused: boolean): void;
  /**
   * `tell` has failed. How long to wait for the next one, in milliseconds: a minute, then twice as long each time, up to
   * two days.
   */
  putOff(): number;
}

const schema = `CREATE TABLE IF NOT EXISTS rockpool_report (
  n INTEGER PRIMARY KEY, session TEXT NOT NULL, report TEXT NOT NULL)`;

// Numbers below 0 belong to no entry: these rows are the table's own notes.

/** The turn that hasn't ended. */
const open = -1;

/** The newest report's number. */
const newest = -2;

/** How long was waited before the last attempt. */
const waited = -3;

/** The state that was told last. */
const told = -4;

/** It is there while a person is waited for. */
const asking = -5;

/** 1 MB: less is told with the next turn. */
const newsBytes = 1_000_000;

const minuteMs = 60_000;

const twoDaysMs = 2 * 24 * 60 * minuteMs;

/** What a directory knows of a session without its turns. */
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

/** Makes its table, and nothing else. */
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
      // By /clear: what else of it is recorded stands in the journal that was left.
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

/** The directory has heard it, and takes it for no report: it is of another version, or something is wrong here. */
export function isRefusedReport(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === 'bad-usage';
}

/** Those counters alone that a budget is made of, and of those what counts: a refused report may have others. */
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
