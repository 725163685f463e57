// The cron jobs of a session, kept as states of its journal. A job lives as long as the journal,
// unless it is over: see `isOver`. Created by load-features.ts.
import { SdkError } from '../../core/errors.ts';
import type { CronJob, CronJobs, NewCronJob } from '../../core/triggers/cron.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { StateRecord } from '../../core/session/journal.ts';
import { isTimeZone, toLocalTime } from '../../core/triggers/local-time.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionFold } from '../journal/fold.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import { cronKeys } from '../journal/trigger-keys.ts';
import type { SessionIds } from '../session/session-ids.ts';
import { parseCron } from './cron-schedule.ts';
import { describeCron } from './describe-cron.ts';
import type { Trigger } from './fire-triggers.ts';
import { isOver, whenRun } from './is-over.ts';
import type { SetForLater } from './is-over.ts';

/** The parts of the session that cron jobs use. */
export interface CronJobPorts {
  readonly journal: Pick<SessionJournal, 'fold' | 'isKept' | 'record'>;
  readonly clock: Clock;
  readonly ids: Pick<SessionIds, 'of'>;
  readonly timeZone: string;
  /** The session ends with the answer to its only prompt. */
  readonly hasOnePrompt: boolean;
}

/** The cron jobs of one session. */
export interface SessionCronJobs extends CronJobs {
  triggers(): readonly Trigger[];
  /** Removes the states of jobs that are over. */
  forgetOver(): Promise<void>;
}

/** The recorded fields of a job. */
interface RecordedJob extends Omit<NewCronJob, 'madeBy'>, SetForLater {
  readonly timeZone: string;
  readonly createdAt: number;
  readonly dueAt: number;
}

// 50: as many as a person can read through. Each is a line of CronList.
const maxJobs = 50;
// A week: each run costs a request, so a job that nobody renews by then is removed.
const lifetimeMs = 7 * 24 * 60 * 60 * 1_000;
// A minute: a shorter delay, such as the rest of a running turn, isn't mentioned.
const lateMs = 60_000;

export function createCronJobs(ports: CronJobPorts): SessionCronJobs {
  const { journal, clock, ids, timeZone, hasOnePrompt } = ports;
  const { fold } = journal;

  function find(id: string): RecordedJob | undefined {
    const job = readJob(fold.states.get(toKey(id)), timeZone);
    return job && afterRewind(id, job, fold);
  }

  function listAll(): readonly (readonly [id: string, job: RecordedJob])[] {
    const found = [...fold.states.keys()].flatMap((key) => {
      if (!key.startsWith(cronKeys)) return [];
      const id = key.slice(cronKeys.length);
      const job = find(id);
      return job ? [[id, job] as const] : [];
    });
    return found.toSorted(([, one], [, other]) => one.madeAt - other.madeAt);
  }

  function findFault({ cron, durable }: Pick<CronJob, 'cron' | 'durable'>): string | undefined {
    try {
      if (parseCron(cron, timeZone).next(clock.now()) === undefined) {
        return `"${cron}" never comes: no month has such a day.`;
      }
    } catch (error) {
      if (SdkError.isInstance(error)) return error.message;
      throw error;
    }
    if (durable && !journal.isKept) {
      return "This session isn't kept, so no job outlives it: leave durable out.";
    }
    if (!durable && hasOnePrompt) {
      return 'This session ends with its answer, so only a durable job can run: say durable: true. It runs when the session is open again.';
    }
    return undefined;
  }

  const toRecord = (id: string, job: RecordedJob): StateRecord => ({
    type: 'state',
    key: toKey(id),
    value: job,
    reminder: `The cron job ${id} is scheduled, ${describeCron(job.cron)}: ${clipText(job.prompt, 200)}`,
  });

  return {
    timeZone,
    findFault,
    async create({ madeBy, ...job }) {
      // Some servers reuse ids in each reply. The step distinguishes two such calls.
      const id = ids.of('cron', fold.lastStep, madeBy).slice(0, 8);
      const before = find(id);
      if (before) return toCronJob(id, before);
      const fault = findFault(job);
      if (fault !== undefined) {
        throw new SdkError('invalid-input', fault, { data: { cron: job.cron } });
      }
      if (listAll().length >= maxJobs) throw tooMany();
      const now = clock.now();
      const recorded = {
        ...job,
        timeZone,
        createdAt: now,
        madeAt: fold.length,
        dueAt: parseCron(job.cron, timeZone).next(now) ?? Infinity,
      };
      await journal.record(toRecord(id, recorded));
      return toCronJob(id, recorded);
    },
    async delete(id) {
      if (!find(id)) return false;
      await journal.record(toForgotten(id));
      return true;
    },
    list: () => listAll().map(([id, job]) => toCronJob(id, job)),
    triggers: () =>
      listAll().map(([id, job]) => ({
        dueAt: job.dueAt,
        tell: (now) => tell(id, job, now),
        next(now) {
          const dueAt = nextRun(job, now);
          return dueAt === undefined ? toForgotten(id) : toRecord(id, { ...job, dueAt });
        },
      })),
    async forgetOver() {
      const over = [...fold.states].flatMap(([key, value]) => {
        const id = key.slice(cronKeys.length);
        return key.startsWith(cronKeys) && value !== null && !find(id) ? [toForgotten(id)] : [];
      });
      await journal.record(...over);
    },
  };
}

const toKey = (id: string) => `${cronKeys}${id}`;

const toForgotten = (id: string): StateRecord => ({ type: 'state', key: toKey(id), value: null });

/** The next run after `now`. Undefined: there is none. */
function nextRun(job: RecordedJob, now: number): number | undefined {
  if (!job.recurring || now - job.createdAt >= lifetimeMs) return undefined;
  return parseCron(job.cron, job.timeZone).next(now);
}

/**
 * Reads a job. A journal may hold the state of another version or place. Undefined for a value that
 * is no job, and for a schedule that can't be read here. `ownZone` stands in for a time zone that
 * isn't known here.
 */
function readJob(value: unknown, ownZone: string): RecordedJob | undefined {
  if (!isRecord(value)) return undefined;
  const { cron, prompt, timeZone, recurring, durable, createdAt, madeAt, dueAt } = value;
  const areTexts = [cron, prompt, timeZone].every((one) => typeof one === 'string');
  const areSwitches = [recurring, durable].every((one) => typeof one === 'boolean');
  const areNumbers = [createdAt, madeAt, dueAt].every((one) => Number.isFinite(one));
  if (!areTexts || !areSwitches || !areNumbers) return undefined;
  const job = value as unknown as RecordedJob;
  if (!isSchedule(job.cron)) return undefined;
  return isTimeZone(job.timeZone) ? job : { ...job, timeZone: ownZone };
}

function isSchedule(cron: string): boolean {
  try {
    parseCron(cron, 'UTC');
    return true;
  } catch {
    return false;
  }
}

/**
 * The present state of the job. A rewind restores an earlier state, but no run is repeated.
 * Undefined: the job is over.
 */
function afterRewind(id: string, job: RecordedJob, fold: SessionFold): RecordedJob | undefined {
  if (isOver(job, fold)) return undefined;
  const ranAt = whenRun(toKey(id), job.dueAt, fold);
  if (ranAt === undefined) return job;
  const dueAt = nextRun(job, ranAt);
  return dueAt === undefined ? undefined : { ...job, dueAt };
}

function toCronJob(id: string, job: RecordedJob): CronJob {
  const { cron, prompt, recurring, durable, timeZone, dueAt } = job;
  const humanSchedule = describeCron(cron);
  return { id, cron, humanSchedule, prompt, recurring, durable, nextFireAt: dueAt, timeZone };
}

/**
 * Security: the model wrote the prompt, maybe from text from outside. It must not be able to close
 * the reminder.
 */
function tell(id: string, job: RecordedJob, now: number): string {
  const isLast = nextRun(job, now) === undefined;
  const facts = [
    `The cron job ${id} (${describeCron(job.cron)}, by the clocks of ${job.timeZone})`,
    ...(now - job.dueAt > lateMs
      ? [
          `was due at ${toLocalTime(job.dueAt, job.timeZone)}; what it has missed since isn't made up for`,
        ]
      : []),
    ...(isLast && job.recurring ? ['has run for 7 days and ends with this run'] : []),
  ];
  return `${facts.join(', ')}:\n${quoteForReminder(job.prompt)}`;
}

function tooMany(): SdkError {
  return new SdkError(
    'limit-exceeded',
    `There are ${maxJobs} cron jobs, as many as there may be: delete some with CronDelete first.`,
    { data: { limit: maxJobs } },
  );
}
