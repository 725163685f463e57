// Enforces limits that Cloudflare has in production and a local workerd doesn't have. A test's Worker imports it
// first. It throws as production does. Clocks stand still while code computes; 6 open connections; 50 subrequests an
// event; rows and values of 2 MB; 100 bound values. The 32 MiB of a call by RPC every workerd enforces.
import type { ContentsBucket, ObjectStorage } from '../../../src/edge.ts';

type Fetch = (request: Request) => Promise<Response>;

const maxConnections = 6;
/** Of the free plan. */
const maxSubrequests = 50;
const maxBound = 100;
const maxRowBytes = 2_000_000;

const { now: realNow } = Date;
const realSetTimeout = globalThis.setTimeout;
const origin = realNow();
let time = origin;

/** Moves the clock, which advances only after I/O. */
function tick(): void {
  time = realNow();
}

/** Makes clocks stand still. Called at module scope, because all objects of the isolate share them. */
function freezeClocks(): void {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: readonly unknown[], newTarget) =>
      Reflect.construct(target, given.length > 0 ? given : [time], newTarget) as object,
    apply: () => new RealDate(time).toString(),
    get: (target, key) =>
      key === 'now' ? () => time : (Reflect.get(target, key, target) as unknown),
  });
  Object.defineProperty(performance, 'now', { value: () => time - origin });
  globalThis.setTimeout = ((
    work: (...given: unknown[]) => void,
    ...rest: [number?, ...unknown[]]
  ) =>
    realSetTimeout(
      (...given: unknown[]) => {
        tick();
        work(...given);
      },
      ...rest,
    )) as typeof setTimeout;
}

freezeClocks();

/** The limits of the events of one object. Each object counts separately. */
export interface EventLimits {
  /** To be called first in each handler. */
  begin(): void;
  /** The same fetch, as an event of production has it. */
  limitFetch(fetch: Fetch): Fetch;
  /** The same bucket: its requests are an event's subrequests, and take its connections. */
  limitBucket(bucket: ContentsBucket): ContentsBucket;
}

/** Made once an object. */
export function createEventLimits(): EventLimits {
  let connections = 0;
  let subrequests = 0;

  async function askOutside<Value>(ask: () => Promise<Value>): Promise<Value> {
    subrequests += 1;
    if (subrequests > maxSubrequests) throw new Error('Too many subrequests.');
    if (connections >= maxConnections) {
      throw new Error('A seventh connection would wait for ever.');
    }
    connections += 1;
    try {
      return await ask();
    } finally {
      connections -= 1;
      tick();
    }
  }

  return {
    begin() {
      tick();
      subrequests = 0;
    },
    limitFetch: (fetch) => (request) =>
      askOutside(async () => {
        const response = await fetch(request);
        const bytes = await response.arrayBuffer();
        return new Response(bytes, response);
      }),
    limitBucket: (bucket) => ({
      put: (key, bytes, options) => askOutside(() => bucket.put(key, bytes, options)),
      get: (key, options) =>
        askOutside(async () => {
          const found = await bucket.get(key, options);
          const bytes = await found?.arrayBuffer();
          return bytes ? { arrayBuffer: async () => bytes } : null;
        }),
      delete: (keys) => askOutside(() => bucket.delete(keys)),
    }),
  };
}

/** The same storage with the limits of production's SQLite. */
export function limitStorage(storage: ObjectStorage): ObjectStorage {
  const andTick = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } finally {
      tick();
    }
  };
  return {
    sql: {
      exec(query, ...bindings) {
        if (bindings.length > maxBound) throw new Error('too many SQL variables: SQLITE_ERROR');
        for (const value of bindings) {
          if (sizeOf(value) > maxRowBytes) throw tooBig();
        }
        try {
          const cursor = storage.sql.exec(query, ...bindings);
          const [, table] = /^\s*CREATE TABLE IF NOT EXISTS (\w+)/u.exec(query) ?? [];
          if (table !== undefined) limitRows(storage, table);
          return cursor;
        } catch (error) {
          throw (error as Error).message.includes(largeRow) ? tooBig() : error;
        }
      },
      get databaseSize() {
        return storage.sql.databaseSize ?? 0;
      },
    },
    transactionSync: (closure) => storage.transactionSync(closure),
    sync: () => andTick(storage.sync()),
    getAlarm: () => andTick(storage.getAlarm()),
    setAlarm: (at) => andTick(storage.setAlarm(at)),
    deleteAlarm: () => andTick(storage.deleteAlarm()),
  };
}

/** The error of the trigger that checks a row's size. */
const largeRow = 'The row is too large';

/** SQLite itself refuses a row from now on whose values come to more: whichever statement makes it. */
function limitRows({ sql }: ObjectStorage, table: string): void {
  const columns = sql.exec(`SELECT name FROM pragma_table_info('${table}')`).toArray();
  const sum = columns.map(({ name }) => `coalesce(length(CAST(new."${name}" AS BLOB)), 0)`);
  for (const change of ['INSERT', 'UPDATE']) {
    sql.exec(`CREATE TRIGGER IF NOT EXISTS limit_${change}_${table} BEFORE ${change} ON ${table}
      WHEN ${sum.join(' + ')} > ${maxRowBytes} BEGIN SELECT RAISE(ABORT, '${largeRow}'); END`);
  }
}

const tooBig = () => new Error('string or blob too big: SQLITE_TOOBIG');

function sizeOf(value: unknown): number {
  // A character has at most three bytes: short texts aren't encoded for it.
  if (typeof value === 'string') {
    return value.length * 3 <= maxRowBytes ? 0 : new TextEncoder().encode(value).length;
  }
  return value instanceof ArrayBuffer || value instanceof Uint8Array ? value.byteLength : 0;
}
