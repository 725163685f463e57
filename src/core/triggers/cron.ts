// The port by which tools keep the scheduled prompts of a session: its cron jobs. agent/triggers/ has them.

/** A prompt that begins turns by a schedule. */
export interface CronJob {
  readonly id: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** The same in words. */
  readonly humanSchedule: string;
  readonly prompt: string;
  /** False: it runs once. */
  readonly recurring: boolean;
  /** The job outlives a close of the session. */
  readonly durable: boolean;
  /** In milliseconds since the epoch. */
  readonly nextFireAt: number;
  /** IANA's name of the time zone that its schedule is in. */
  readonly timeZone: string;
}

/** What a job is made of. */
export interface NewCronJob extends Pick<CronJob, 'cron' | 'prompt' | 'recurring' | 'durable'> {
  /** The id of the call that makes it. */
  readonly madeBy: string;
}

/** One session's jobs. */
export interface CronJobs {
  /** The time zone of new jobs. */
  readonly timeZone: string;
  /** Why there can be no such job, in a sentence; undefined: there can. */
  findFault(job: Pick<CronJob, 'cron' | 'durable'>): string | undefined;
  /**
   * Resolves when it is recorded. The same call makes one job, however often it is run.
   *
   * @throws SdkError `invalid-input` as {@link findFault}; `limit-exceeded` for too many.
   */
  create(job: NewCronJob): Promise<CronJob>;
  /** False: there was no such job. */
  delete(id: string): Promise<boolean>;
  /** The oldest first. */
  list(): readonly CronJob[];
}
