// A session object's alarm where Cloudflare's Lifecycle owns the object's: a job of its queue takes its place.
// Used by create-session-capability.ts.
import type { LifecycleJobs } from 'agents/lifecycle';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { ObjectStorage } from '../object/durable-context.ts';

/** The object's storage with that alarm. */
export interface JobAlarm {
  readonly storage: ObjectStorage;
  /**
   * To be called when the job is due: as the platform has it, an alarm that rings isn't set any more. To be disposed when
   * the job is over.
   */
  ring(): Disposable;
}

const jobId = 'rockpool.session';

/** 15 minutes: what an alarm's event may last. Before that the queue doesn't warn of a long step. */
const hungTimeoutSeconds = 15 * 60;

/** A second: a queue that works on nothing else rings sooner. */
const lateMs = 1_000;

/** What the alarm asks of its capability. */
export interface JobAlarmPorts {
  /** Asked at each use: there are none before the capability is installed. */
  jobs(): Promise<LifecycleJobs>;
  /** The alarm is due, and the queue is busy: another job may wait for what this one does. Must not reject. */
  late(): Promise<void>;
}

/** The alarm is set by its storage alone. */
export function createJobAlarm(
  { sql, transactionSync, sync }: Unbound,
  { jobs, late }: JobAlarmPorts,
): JobAlarm {
  let hasRung = false;
  let isRinging = false;
  let setAt = Infinity;
  let watching: Disposable | undefined;

  /** Nothing is timed for an alarm that is to come: a timer keeps the object awake. */
  function watch(): void {
    watching?.[Symbol.dispose]();
    const isDue = !isRinging && setAt <= Date.now();
    watching = isDue ? systemClock.after(lateMs, () => void late()) : undefined;
  }

  return {
    storage: {
      sql,
      transactionSync,
      sync,
      async getAlarm() {
        const job = (await jobs()).get(jobId);
        return hasRung ? null : (job?.time ?? null);
      },
      async setAlarm(at) {
        const queue = await jobs();
        hasRung = false;
        // The session itself tries again: once is enough.
        const retry = { maxAttempts: 1 };
        await queue.push({ id: jobId, fn: 'step', time: at, retry, hungTimeoutSeconds });
        setAt = at;
        watch();
      },
      async deleteAlarm() {
        const queue = await jobs();
        hasRung = false;
        await queue.cancel(jobId);
        setAt = Infinity;
        watch();
      },
    },
    ring() {
      hasRung = true;
      isRinging = true;
      setAt = Infinity;
      watch();
      return {
        [Symbol.dispose]() {
          isRinging = false;
          watch();
        },
      };
    },
  };
}

/** Of the storage what isn't the alarm; its functions are called without it. */
type Unbound = Pick<ObjectStorage, 'sql' | 'transactionSync' | 'sync'>;
