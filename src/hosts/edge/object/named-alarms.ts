// Lets a class and its session share the one alarm of a Durable Object. A table has times by name,
// and the object's alarm is set to the earliest. Used by create-session-object.ts.
import { SdkError } from '../../../core/errors.ts';
import type { ObjectStorage } from './durable-context.ts';
import { isSuperseded } from './is-superseded.ts';

/**
 * The class's alarms, by its own names. Each rings once, at its time or later, and survives the
 * instance.
 */
export interface NamedAlarms {
  /**
   * @param at - milliseconds since the epoch; a time in the past rings at once
   * @throws SdkError `bad-usage` if the name has no handler, or `at` isn't a time
   */
  set(name: string, at: number): Promise<void>;
  get(name: string): number | undefined;
  delete(name: string): Promise<void>;
}

/** The table, kept in sync with the object's alarm. */
export interface AlarmTable {
  set(name: string, at: number): Promise<void>;
  get(name: string): number | undefined;
  delete(name: string): Promise<void>;
  /** The names of the due alarms, the earliest first. */
  due(now: number): readonly string[];
  /**
   * Sets the object's alarm to the earliest time in the table. An alarm in the past would never
   * ring, so it is set again.
   */
  arm(now: number): Promise<void>;
}

/**
 * The handler of each name. A handler that resolves to a value has failed and handled the failure
 * itself.
 */
export type AlarmHandlers = Readonly<Record<string, () => unknown>>;

/** The functions that `ringAlarms` needs. */
export interface RingPorts {
  readonly handlers: AlarmHandlers;
  /**
   * Called when a handler has failed. Returns the delay before the next attempt in milliseconds.
   * Undefined: {@link retryMs}.
   */
  putOff(name: string): number | undefined;
}

/** One minute: the delay before a failed handler is retried. */
export const retryMs = 60_000;

const ownPrefix = 'rockpool.';

const tableSql =
  'CREATE TABLE IF NOT EXISTS rockpool_alarm (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID';

/** Only creates the table. */
export function createAlarmTable(storage: ObjectStorage): AlarmTable {
  const { sql } = storage;
  sql.exec(tableSql);

  const earliest = (): number | undefined => {
    const [row] = sql.exec('SELECT min(at) AS at FROM rockpool_alarm').toArray();
    return row?.['at'] == null ? undefined : Number(row['at']);
  };
  const rearm = async (): Promise<void> => {
    const at = earliest();
    await (at === undefined ? storage.deleteAlarm() : storage.setAlarm(at));
  };

  return {
    async set(name, at) {
      sql.exec('INSERT OR REPLACE INTO rockpool_alarm (name, at) VALUES (?, ?)', name, at);
      await rearm();
    },
    get(name) {
      const [row] = sql.exec('SELECT at FROM rockpool_alarm WHERE name = ?', name).toArray();
      return row && Number(row['at']);
    },
    async delete(name) {
      sql.exec('DELETE FROM rockpool_alarm WHERE name = ?', name);
      await rearm();
    },
    due: (now) =>
      sql
        .exec('SELECT name FROM rockpool_alarm WHERE at <= ? ORDER BY at', now)
        .toArray()
        .map(({ name }) => String(name)),
    async arm(now) {
      const wanted = earliest();
      if (wanted === undefined) return;
      const set = await storage.getAlarm();
      if (set === null || set < now || set > wanted) await storage.setAlarm(Math.max(wanted, now));
    },
  };
}

/**
 * Rings alarms one after the other and returns the failures. Rejects if this instance is over; the
 * next instance then rings them.
 */
export async function ringAlarms(
  table: AlarmTable,
  names: readonly string[],
  { handlers, putOff }: RingPorts,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const name of names) {
    const at = table.get(name);
    try {
      // A name without a handler in the current code is deleted.
      const told = Object.hasOwn(handlers, name) ? await handlers[name]?.() : undefined;
      if (told instanceof Error) failures.push(told);
      if (table.get(name) === at) await table.delete(name);
    } catch (error) {
      if (isSuperseded(error)) throw error;
      failures.push(error);
      await table.set(name, Date.now() + (putOff(name) ?? retryMs));
    }
  }
  return failures;
}

/** @throws SdkError `bad-usage` for a name that is the session's own, or may become so. */
export function checkAlarmNames(handlers: AlarmHandlers | undefined): void {
  const name = Object.keys(handlers ?? {}).find((one) => one.startsWith(ownPrefix));
  if (name === undefined) return;
  const message = `Alarms whose names begin with ${ownPrefix} are the session's own: give ${name} another name.`;
  throw new SdkError('bad-usage', message, { data: { name } });
}

/** The table as a class sees it: only with names that have a handler, the session's own among them. */
export function toNamedAlarms(table: AlarmTable, handlers: AlarmHandlers): NamedAlarms {
  return {
    async set(name, at) {
      if (!Object.hasOwn(handlers, name)) throw unknownName(name, Object.keys(handlers));
      if (!Number.isFinite(at)) {
        const message =
          'An alarm is set to milliseconds since the epoch: Date.now() + 60_000, say.';
        throw new SdkError('bad-usage', message, { data: { name, at } });
      }
      await table.set(name, Math.max(0, Math.round(at)));
    },
    get: (name) => (Object.hasOwn(handlers, name) ? table.get(name) : undefined),
    async delete(name) {
      if (Object.hasOwn(handlers, name)) await table.delete(name);
    },
  };
}

function unknownName(name: string, known: readonly string[]): SdkError {
  const given = known.filter((one) => !one.startsWith(ownPrefix));
  const those = given.length === 0 ? 'It has none.' : `It has ${given.join(', ')}.`;
  return new SdkError(
    'bad-usage',
    `No handler would hear the alarm ${name}: give createSessionObject alarms: { ${name}: () => … }. ${those}`,
    { data: { name } },
  );
}
