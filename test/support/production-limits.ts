// What Cloudflare enforces in production and a workerd of one's own doesn't: imported first of all by a Worker of a
// test, it throws as production does. Clocks stand still while code computes; 6 open connections; 50 subrequests an
// event; rows of 2 MB; 100 bound values.
import type { ContentsBucket, ObjectStorage } from '../../src/edge.ts';

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
let connections = 0;
let subrequests = 0;

/** The clock moves only where something came from outside. */
function tick(): void {
  time = realNow();
}

/** Clocks that stand still from here on. At module scope: all objects of the isolate have them. */
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

/** To be called first in each handler: limits are an event's. */
export function beginEvent(): void {
  tick();
  subrequests = 0;
}

async function askOutside<Value>(ask: () => Promise<Value>): Promise<Value> {
  subrequests += 1;
  if (subrequests > maxSubrequests) throw new Error('Too many subrequests.');
  if (connections >= maxConnections) throw new Error('A seventh connection would wait for ever.');
  connections += 1;
  try {
    return await ask();
  } finally {
    connections -= 1;
    tick();
  }
}

/** The same fetch, as an event of production has it. */
export function limitFetch(fetch: Fetch): Fetch {
  return (request) =>
    askOutside(async () => {
      const response = await fetch(request);
      const bytes = await response.arrayBuffer();
      return new Response(bytes, response);
    });
}

/** The same bucket: its requests are an event's subrequests, and take its connections. */
export function limitBucket(bucket: ContentsBucket): ContentsBucket {
  return {
    put: (key, bytes, options) => askOutside(() => bucket.put(key, bytes, options)),
    get: (key, options) =>
      askOutside(async () => {
        const found = await bucket.get(key, options);
        const bytes = await found?.arrayBuffer();
        return bytes ? { arrayBuffer: async () => bytes } : null;
      }),
    delete: (keys) => askOutside(() => bucket.delete(keys)),
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
          const isLarge = sizeOf(value) > maxRowBytes;
          if (isLarge) throw new Error('string or blob too big: SQLITE_TOOBIG');
        }
        return storage.sql.exec(query, ...bindings);
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

function sizeOf(value: unknown): number {
  // A character has at most three bytes: short texts aren't encoded for it.
  if (typeof value === 'string') {
    return value.length * 3 <= maxRowBytes ? 0 : new TextEncoder().encode(value).length;
  }
  return value instanceof ArrayBuffer || value instanceof Uint8Array ? value.byteLength : 0;
}
