// The port by which tools manage the cron jobs of a session, which are scheduled prompts. agent/triggers/ implements
// it.

/** A prompt that begins turns by a schedule. */
export interface CronJob {
  readonly id: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** The schedule in words. */
  readonly humanSchedule: string;
  readonly prompt: string;
  /** False: the job runs once. */
  readonly recurring: boolean;
  /** True if the job survives the end of the session's page. */
  readonly durable: boolean;
  /** In milliseconds since the epoch. */
  readonly nextFireAt: number;
  /** The IANA name of the schedule's time zone. */
  readonly timeZone: string;
}

/** The fields of a new job. */
export interface NewCronJob extends Pick<CronJob, 'cron' | 'prompt' | 'recurring' | 'durable'> {
  /** The id of the call that creates the job. */
  readonly madeBy: string;
}

/** The jobs of one session. */
export interface CronJobs {
  /** The time zone of new jobs. */
  readonly timeZone: string;
  /** Why such a job isn't possible, in a sentence. Undefined: it is. */
  findFault(job: Pick<CronJob, 'cron' | 'durable'>): string | undefined;
  /**
   * Resolves when the job is recorded. If the same call runs again, it creates no second job.
   *
   * @throws SdkError `invalid-input` as {@link findFault}; `limit-exceeded` for too many jobs
   */
  create(job: NewCronJob): Promise<CronJob>;
  /** Resolves to false if there was no such job. */
  delete(id: string): Promise<boolean>;
  /** All jobs, oldest first. */
  list(): readonly CronJob[];
}
