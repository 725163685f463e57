// What an object records of its session's run, readable without opening the session. It says
// whether a run was under way when the instance was lost, and how often that happened without
// progress. Used by create-session-object.ts.
import type { ObjectStorage } from './durable-context.ts';

/** What is known of a run before it begins. */
export interface BegunRun {
  /** See `SessionSteps`. */
  readonly opening: 'resume' | 'woken';
  /** The one before it was lost under way. */
  readonly wasRunning: boolean;
  /** How many runs in a row were lost before any progress, by the same version of the code. */
  readonly deaths: number;
  /**
   * The run came to nothing, and no instance was lost. All is as before it, but for {@link
   * RunRecord.retryInMs}.
   */
  takeBack(): void;
}

/** Kept in the object's database. */
export interface RunRecord {
  /**
   * The id that the session has begun with. Kept from its first run on. A class may have made the
   * id of the object's name, which an instance that an alarm has woken doesn't know.
   */
  readonly firstId: string;
  /** The session's id: another one after `/clear`. */
  readonly sessionId: string;
  moveTo(sessionId: string): void;
  /**
   * Until when the place waits for a move that was begun, in milliseconds since the epoch.
   * Undefined: there is none.
   */
  readonly leavingUntil: number | undefined;
  leave(until: number | undefined): void;
  /** A run begins. */
  begin(): BegunRun;
  /**
   * How long to wait for the next try. It is a minute, then twice as long with each run taken back
   * in a row, up to an hour.
   */
  retryInMs(): number;
  /** Notes that something has come to its end, so earlier losses don't count any more. */
  progress(): void;
  /** Notes that nothing runs, so an instance that is lost from here on doesn't count. */
  rest(): void;
}

interface Run {
  readonly isRunning: boolean;
  readonly version: string;
  readonly deaths: number;
  /** How many in a row were taken back. Left out: none. */
  readonly takenBack?: number;
}

const minuteMs = 60_000;

// An hour: a session goes on so soon after a deploy or a bucket is repaired.
const longestRetryMs = 60 * minuteMs;

const tableSql =
  'CREATE TABLE IF NOT EXISTS rockpool_object (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID';

const atRest: Run = { isRunning: false, version: '', deaths: 0 };

/** Makes the table, and nothing else. `version`: of the code that runs. */
export function createRunRecord(
  { sql }: Pick<ObjectStorage, 'sql'>,
  { sessionId, version }: { readonly sessionId: string; readonly version: string },
): RunRecord {
  sql.exec(tableSql);

  const read = (key: string): string | undefined => {
    const [row] = sql.exec('SELECT value FROM rockpool_object WHERE key = ?', key).toArray();
    return row && String(row['value']);
  };
  const write = (key: string, value: string): void => {
    sql.exec('INSERT OR REPLACE INTO rockpool_object (key, value) VALUES (?, ?)', key, value);
  };
  const readRun = (): Run => {
    const text = read('run');
    return text === undefined ? atRest : (JSON.parse(text) as Run);
  };
  const writeRun = (run: Run): void => write('run', JSON.stringify(run));

  let first: string | undefined;
  let current: string | undefined;
  const firstId = () => (first ??= read('first') ?? sessionId);

  return {
    get firstId() {
      return firstId();
    },
    get sessionId() {
      return (current ??= read('session') ?? firstId());
    },
    moveTo(id) {
      current = id;
      write('session', id);
    },
    get leavingUntil() {
      const until = Number(read('leaving') ?? 0);
      return until > 0 ? until : undefined;
    },
    leave(until) {
      const time = String(until ?? 0);
      // Written only if it differs: each opening calls this, and a written row costs.
      if ((read('leaving') ?? '0') !== time) write('leaving', time);
    },
    begin() {
      if (read('first') === undefined) write('first', firstId());
      const before = readRun();
      // New code ends what the old code runs. That is no death.
      const isDeath = before.isRunning && before.version === version;
      const deaths = before.deaths + (isDeath ? 1 : 0);
      writeRun({ isRunning: true, version, deaths });
      return {
        opening: isDeath ? 'resume' : 'woken',
        wasRunning: before.isRunning,
        deaths,
        takeBack: () => writeRun({ ...before, takenBack: (before.takenBack ?? 0) + 1 }),
      };
    },
    retryInMs() {
      const { takenBack = 0 } = readRun();
      return Math.min(minuteMs * 2 ** Math.max(0, takenBack - 1), longestRetryMs);
    },
    progress() {
      const run = readRun();
      if (run.deaths > 0) writeRun({ ...run, deaths: 0 });
    },
    rest() {
      if (readRun().isRunning) writeRun(atRest);
    },
  };
}
