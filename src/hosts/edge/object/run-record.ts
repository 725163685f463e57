// What an object records about its session's runs, readable without opening the session: whether a
// run was in progress when the instance was lost, and how often that happened without progress.
// Used by create-session-object.ts.
import type { FlagSettings } from '../../../agent/session/settings/flag-settings.ts';
import type { ObjectStorage } from './durable-context.ts';

/** What is known about a run before it begins. */
export interface BegunRun {
  /** See `SessionSteps`. */
  readonly opening: 'resume' | 'woken';
  /** True if the previous run was lost in progress. */
  readonly wasRunning: boolean;
  /** How many runs in a row were lost before any progress, with the same version of the code. */
  readonly deaths: number;
  /**
   * Call it if the run didn't begin and no instance was lost. Restores the record, except for
   * {@link RunRecord.retryInMs}.
   */
  takeBack(): void;
}

/** Kept in the object's database. */
export interface RunRecord {
  /**
   * The session's first id, kept from its first run on. A class may have derived it from the
   * object's name, which an instance that an alarm has woken doesn't know.
   */
  readonly firstId: string;
  /** The session's current id: a new one after `/clear`. */
  readonly sessionId: string;
  moveTo(sessionId: string): void;
  /**
   * Until when the place waits for a started move, in milliseconds since the epoch. Undefined: there
   * is none.
   */
  readonly leavingUntil: number | undefined;
  leave(until: number | undefined): void;
  /** What `applyFlagSettings` has set, without the model, which the journal has. */
  readonly flags: FlagSettings | undefined;
  keepFlags(settings: FlagSettings): void;
  /** Records that a run begins. */
  begin(): BegunRun;
  /**
   * The delay before the next attempt: one minute, doubled with each run taken back in a row, at
   * most an hour.
   */
  retryInMs(): number;
  /** Records progress, so earlier losses don't count any more. */
  progress(): void;
  /** Records that nothing runs, so a later loss of the instance doesn't count. */
  rest(): void;
}

interface Run {
  readonly isRunning: boolean;
  readonly version: string;
  readonly deaths: number;
  /** How many runs in a row were taken back. Left out: none. */
  readonly takenBack?: number;
}

const minuteMs = 60_000;

// One hour: a session continues so soon after a deploy or after a bucket is repaired.
const longestRetryMs = 60 * minuteMs;

const tableSql =
  'CREATE TABLE IF NOT EXISTS rockpool_object (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID';

const atRest: Run = { isRunning: false, version: '', deaths: 0 };

/** Only creates the table. `version`: the version of the running code. */
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
  const readFlags = (): FlagSettings | undefined => {
    const text = read('flags');
    return text === undefined ? undefined : (JSON.parse(text) as FlagSettings);
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
      // Written only if it differs: each opening calls this, and writing a row has a cost.
      if ((read('leaving') ?? '0') !== time) write('leaving', time);
    },
    get flags() {
      return readFlags();
    },
    keepFlags(settings) {
      write('flags', JSON.stringify({ ...readFlags(), ...settings }));
    },
    begin() {
      if (read('first') === undefined) write('first', firstId());
      const before = readRun();
      // New code has ended the run of the old code. That doesn't count as a loss.
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
