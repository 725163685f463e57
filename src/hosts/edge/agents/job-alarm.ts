// A session object's alarm where Cloudflare's Lifecycle owns the object's: a job of its queue takes its place.
// Used by create-session-capability.ts.
import type { LifecycleJobs } from 'agents/lifecycle';
import type { ObjectStorage } from '../object/durable-context.ts';

/** The object's storage with that alarm. */
export interface JobAlarm {
  readonly storage: ObjectStorage;
  /** To be called when the job is due: as the platform has it, an alarm that rings isn't set any more. */
  ring(): void;
}

const jobId = 'rockpool.session';

/** 15 minutes: what an alarm's event may last. Before that the queue doesn't warn of a long step. */
const hungTimeoutSeconds = 15 * 60;

/** `jobs` is asked at each use: there are none before the capability is installed. */
export function createJobAlarm(
  { sql, transactionSync, sync }: Unbound,
  jobs: () => Promise<LifecycleJobs>,
): JobAlarm {
  let hasRung = false;
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
      },
      async deleteAlarm() {
        const queue = await jobs();
        hasRung = false;
        await queue.cancel(jobId);
      },
    },
    ring: () => void (hasRung = true),
  };
}

/** Of the storage what isn't the alarm; its functions are called without it. */
type Unbound = Pick<ObjectStorage, 'sql' | 'transactionSync' | 'sync'>;
