// The calls of a session's object to its owner's directory: before a prompt, when a session
// arrives, and when a turn has ended. Used by create-session-object.ts.
import type { QueryOptions } from '../../../agent/query-options.ts';
import { SdkError, describeThrown } from '../../../core/errors.ts';
import { inTime } from '../../../core/async/in-time.ts';
import type { Model } from '../../../model/model.ts';
import { toPrices } from '../../../model/pricing.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';
import type { DirectoryAdmission, DirectoryPort } from '../directory/session-directory.ts';
import { createTurnReports, isRefusedReport } from '../directory/turn-reports.ts';
import type { AlarmTable } from './named-alarms.ts';
import { createDeletingError } from './session-refusals.ts';

/** The functions of the object that the directory calls need. */
export interface OwnerPorts {
  readonly storage: DurableStorage;
  readonly table: AlarmTable;
  /** The session's id in the directory. */
  id(): string;
  /** The number of bytes that it stores now. */
  stored(): number;
  /** See {@link findUnpriced}. */
  unpriced(): string | undefined;
  /**
   * True if the session is being deleted or was deleted. Then the directory isn't asked any more,
   * because that would register the session again.
   */
  isDeleted(): boolean;
}

/** The connection of one session to its owner's directory. */
export interface ObjectOwner {
  /**
   * Call it before a prompt, or before a compaction that a person starts, which also counts as a
   * turn. Rejects with `limit-exceeded` and the directory's reason if no turn is allowed. Dispose
   * the result when the compaction has ended, or if the prompt starts no turn. If another turn was
   * admitted since, the end of that turn reports both.
   */
  admit(): Promise<Disposable>;
  /**
   * Like {@link admit}, for a turn that is about to begin. Resolves to the reason if it is refused,
   * or to a disposable for a turn that doesn't begin. The directory isn't asked if a turn was just
   * admitted and none has ended since. Never rejects.
   */
  admitOwn(): Promise<string | Disposable>;
  /**
   * Gives the reason if no session may come here, in a sentence. The directory doesn't note the
   * session yet, as it may never come.
   */
  refusal(): Promise<string | undefined>;
  /**
   * The same for a session that arrives now, during a turn (`isRunning`) or not. The directory
   * registers it, and its turn counts, unless the result is disposed.
   */
  refusalNow(isRunning: boolean): Promise<string | Disposable | undefined>;
  /** Call it when the journal has recorded entry `n`. */
  heard(n: number, entry: Readonly<Record<string, unknown>>): void;
  /** Call it when the session has moved away. */
  left(): void;
  /**
   * Call it before the session is deleted. Sends the pending reports and waits for pending
   * requests. Rejects if the directory can't be reached, because nothing could be reported later.
   */
  deleted(): Promise<void>;
  /**
   * Call it when the session is released. Reports a change of `isAsking`, and of the stored bytes
   * if they changed by much.
   */
  rests(isAsking: boolean): void;
  /** Call it when the turn doesn't wait for a person any more. */
  answered(): void;
  /**
   * Asks whether so many bytes may be stored outside a turn. Rejects with `limit-exceeded` and the
   * directory's reason if not. They are allowed if the directory can't be reached.
   */
  admitBytes(bytes: number): Promise<void>;
  /**
   * Reports ended turns and the session's state; the handler of `reportAlarm`. If the directory
   * can't be reached, the report is sent later. If the directory refuses the report, it resolves to
   * that error.
   */
  tell(): Promise<unknown>;
}

/**
 * Reports turns to the owner's directory. An alarm is used, so that an instance that is lost before
 * is woken to report.
 */
export const reportAlarm = 'rockpool.report';

/** One hour: until then an unreported ended turn counts as running. */
const longestWaitMs = 60 * 60 * 1_000;

/** One day: by then a directory of an older version should be updated. */
const longestRefusalMs = 24 * 60 * 60 * 1_000;

/** 30 s: a directory without an answer for longer counts as unreachable. */
const silentMs = 30_000;

/** One minute: by then the turn of an admitted prompt has begun. */
const letInMs = 60_000;

/** Only creates its table. */
export function createObjectOwner(
  directory: DirectoryPort,
  { storage, table, id, stored, isDeleted, unpriced: findModel }: OwnerPorts,
): ObjectOwner {
  const reports = createTurnReports(storage, {
    endTurn: (report) => inTime(directory.endTurn(report), silentMs, createSilentError),
  });
  /** How many turns have ended. */
  let endings = 0;
  /**
   * The last admitted turn: how many turns had ended before it, and until when it needs no further
   * request.
   */
  let letIn = { behind: -1, until: 0 };
  const isLetIn = () => letIn.behind === endings && Date.now() < letIn.until;
  /** The number of pending requests for a turn. */
  let beginning = 0;
  let mayCount = false;
  /** The requests that the directory hasn't answered yet. They never reject. */
  const asked = new Set<Promise<unknown>>();

  /** Makes a request that may register the session in the directory. */
  function ask(asking: () => Promise<DirectoryAdmission>): Promise<DirectoryAdmission> {
    if (isDeleted()) return Promise.reject(createDeletingError(id()));
    const answer = asking();
    const answered = answer.then(
      () => void asked.delete(answered),
      () => void asked.delete(answered),
    );
    asked.add(answered);
    return inTime(answer, silentMs, createSilentError);
  }

  function reportSoon(): void {
    // If this fails, the instance is over. The next instance reports with its next turn.
    table.set(reportAlarm, Date.now()).catch(() => undefined);
  }

  async function askForTurn(waits: boolean): Promise<DirectoryAdmission> {
    // Ended turns are reported first, because the budget depends on them. A later report would also
    // end the new turn.
    await reports.tell().catch(() => undefined);
    const behind = reports.newest();
    const model = findModel();
    const turn = { session: id(), behind, waits, ...(model !== undefined && { unpriced: model }) };
    let asking: Promise<DirectoryAdmission> | undefined;
    try {
      return await ask(() => (asking = directory.beginTurn(turn)));
    } catch (error) {
      const late = asking?.then(
        ({ allowed }) => allowed,
        // If the directory itself has answered with an error, no turn counts.
        (lost: unknown) => !isRefusedReport(lost),
      );
      void late?.then((isCounted) => isCounted && takeBack());
      throw error;
    }
  }

  /**
   * The directory may count a turn that this object doesn't know, because its answer came late or
   * was lost.
   */
  function takeBack(): void {
    mayCount = true;
    settleCount();
  }

  /**
   * Reports such a turn when no request is pending. If another turn is admitted meanwhile, its end
   * reports both.
   */
  function settleCount(): void {
    if (!mayCount || beginning > 0) return;
    mayCount = false;
    if (!isDeleted() && reports.neverBegan(id(), stored)) reportSoon();
  }

  /** `waits`: the session's work is held if the turn is refused. */
  async function beginTurn(waits: boolean): Promise<string | undefined> {
    const behind = endings;
    beginning += 1;
    try {
      const asking = askForTurn(waits);
      // The time of the report counts too, because the sender of the prompt waits.
      const admission = await inTime(asking, silentMs, createSilentError).catch(
        (error: unknown) => {
          void asking.then(({ allowed }) => allowed && takeBack(), nothing);
          throw error;
        },
      );
      if (!admission.allowed) return admission.reason;
      letIn = { behind, until: Date.now() + letInMs };
      reports.began();
      return undefined;
    } finally {
      beginning -= 1;
      settleCount();
    }
  }

  async function register(onlyAsks: boolean): Promise<string | undefined> {
    const admission = await ask(() => directory.register({ id: id(), onlyAsks }));
    return admission.allowed ? undefined : admission.reason;
  }

  async function tellState(coming: number): Promise<string | undefined> {
    const state = { bytes: stored() + coming, isAsking: reports.isAsking() };
    if (!reports.isNews(state.bytes)) return undefined;
    const admission = await ask(() => directory.register({ id: id(), ...state }));
    reports.told(state, !admission.allowed);
    return admission.allowed ? undefined : admission.reason;
  }

  /**
   * The turn that was admitted last. Disposing it does nothing if another turn was admitted since.
   */
  function lastLetIn(): Disposable {
    const own = letIn;
    return {
      [Symbol.dispose]() {
        if (letIn !== own) return;
        endings += 1;
        if (reports.left(id(), stored)) reportSoon();
      },
    };
  }

  async function admit(): Promise<Disposable> {
    const reason = await beginTurn(false);
    if (reason !== undefined) throw new SdkError('limit-exceeded', reason);
    return lastLetIn();
  }

  return {
    admit,
    async admitOwn() {
      if (!isLetIn()) return (await beginTurn(true).catch(describeThrown)) ?? lastLetIn();
      // From here on the admission belongs to the turn, even if it was given for a compaction.
      letIn = { ...letIn };
      return lastLetIn();
    },
    refusal: () => register(true),
    refusalNow: async (isRunning) =>
      isRunning ? ((await beginTurn(false)) ?? lastLetIn()) : register(false),
    heard(n, entry) {
      if (entry['type'] === 'result' || entry['type'] === 'moved') endings += 1;
      if (reports.heard(id(), n, entry, stored)) reportSoon();
    },
    left() {
      if (reports.left(id(), stored)) reportSoon();
    },
    async deleted() {
      reports.left(id(), stored);
      try {
        await reports.tell();
      } catch (error) {
        // A directory that refuses the report would refuse it again.
        if (!isRefusedReport(error)) throw error;
      }
      await inTime(Promise.all(asked), silentMs, createSilentError);
    },
    rests(isAsking) {
      reports.asks(isAsking);
      if (reports.isNews(stored())) reportSoon();
    },
    answered() {
      if (!reports.isAsking()) return;
      reports.asks(false);
      reportSoon();
    },
    async admitBytes(bytes) {
      const reason = await tellState(bytes).catch(() => undefined);
      if (reason !== undefined) throw new SdkError('limit-exceeded', reason);
    },
    async tell() {
      try {
        await reports.tell();
        if (!isDeleted()) await tellState(0);
        return undefined;
      } catch (error) {
        const isRefused = isRefusedReport(error);
        const wait = reports.putOff();
        // If a report is refused for days, it waits for the next turn's report, which includes its
        // sums.
        if (!isRefused) await table.set(reportAlarm, Date.now() + Math.min(wait, longestWaitMs));
        else if (wait <= longestRefusalMs) await table.set(reportAlarm, Date.now() + wait);
        return isRefused ? error : undefined;
      }
    },
  };
}

/** The model's name, if the price of none of the session's models is known. */
export function findUnpriced(
  { name }: Model,
  { models = {}, prices: given }: Pick<QueryOptions, 'models' | 'prices'> = {},
): string | undefined {
  const prices = toPrices(given);
  const names = [name, ...Object.values(models).map((other) => other.name)];
  return names.some((each) => prices.find(each)) ? undefined : name;
}

const nothing = (): void => undefined;

function createSilentError(): SdkError {
  return new SdkError(
    'worker-lost',
    `The owner's directory has not answered for ${silentMs / 1_000} s. Try again in a while.`,
  );
}
