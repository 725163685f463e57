// A Durable Object's context with an alarm that rings when the test says so.
import type { DurableContext } from '../../../src/edge.ts';

export interface HandRung {
  readonly ctx: DurableContext;
  /** When its alarm is set to. */
  at(): number | null;
}

type Storage = DurableContext['storage'];

export function ringByHand({
  id,
  storage,
}: {
  readonly id: DurableContext['id'];
  readonly storage: Omit<Storage, 'getAlarm' | 'setAlarm' | 'deleteAlarm'>;
}): HandRung {
  let at: number | null = null;
  return {
    ctx: {
      id,
      storage: {
        sql: storage.sql,
        transactionSync: (closure) => storage.transactionSync(closure),
        sync: () => storage.sync(),
        getAlarm: async () => at,
        setAlarm: async (time) => void (at = time),
        deleteAlarm: async () => void (at = null),
      },
    },
    at: () => at,
  };
}
