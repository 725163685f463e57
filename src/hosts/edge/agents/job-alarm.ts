// A session object's alarm if Cloudflare's Lifecycle owns the object's real alarm. It is
// implemented as a job of Lifecycle's queue. Used by create-session-capability.ts.
import type { LifecycleJobs } from 'agents/lifecycle';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { ObjectStorage } from '../object/durable-context.ts';

/** The object's storage with that alarm. */
export interface JobAlarm {
  readonly storage: ObjectStorage;
  /**
   * Call it when the job is due. Like on the platform, a ringing alarm isn't set any more. Dispose
   * the result when the job is over.
   */
  ring(): Disposable;
}

const jobId = 'rockpool.session';

/**
 * 15 minutes: the longest duration of an alarm event. The queue warns of a long step only after
 * that.
 */
const hungTimeoutSeconds = 15 * 60;

/** One second: an idle queue rings sooner than that. */
const lateMs = 1_000;

/** The functions of the capability that the alarm needs. */
export interface JobAlarmPorts {
  /** Called at each use, because there are no jobs before the capability is installed. */
  jobs(): Promise<LifecycleJobs>;
  /**
   * Called if the alarm is due but the queue is busy. The running job may be waiting for this one.
   * Must not reject.
   */
  late(): Promise<void>;
}

/** The alarm is set only through the returned storage. */
export function createJobAlarm(
  { sql, transactionSync, sync }: Unbound,
  { jobs, late }: JobAlarmPorts,
): JobAlarm {
  let hasRung = false;
  let isRinging = false;
  let setAt = Infinity;
  let watching: Disposable | undefined;

  /** No timer for an alarm in the future: a timer would keep the object awake. */
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
        // One attempt, because the session itself retries.
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

/** The storage without its alarm. Its functions are called unbound. */
type Unbound = Pick<ObjectStorage, 'sql' | 'transactionSync' | 'sync'>;
