// What a session's object asks of its owner's directory, and tells it: before a prompt, when a session arrives, and when
// a turn has ended. Used by create-session-object.ts.
import { SdkError, describeThrown } from '../../../core/errors.ts';
import { inTime } from '../../../core/async/in-time.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';
import type { DirectoryAdmission, DirectoryPort } from '../directory/session-directory.ts';
import { createTurnReports, isRefusedReport } from '../directory/turn-reports.ts';
import type { AlarmTable } from './named-alarms.ts';
import { createDeletingError } from './session-refusals.ts';

/** What the object is, for its owner. */
export interface OwnerPorts {
  readonly storage: DurableStorage;
  readonly table: AlarmTable;
  /** The id that the directory knows the session by. */
  id(): string;
  /** Bytes that it stores now. */
  stored(): number;
  /**
   * The session is being deleted, or was. The directory isn't asked for it any more, as that would
   * enter it anew.
   */
  isDeleted(): boolean;
}

/** The owner of one session. */
export interface ObjectOwner {
  /**
   * Before a prompt, or a compaction that a person asks for: it asks the model, and is told as a turn. Rejects with
   * `limit-exceeded`, and the directory's sentence, where there may be no turn. To be disposed when the compaction has
   * ended, or where no turn comes of the prompt. Where a turn was let in since, that one's end tells both.
   */
  admit(): Promise<Disposable>;
  /**
   * As {@link admit}, of a turn that is about to begin. Gives why there may be none, in a sentence,
   * or what is to be disposed where none begins. Nobody is asked where one was let in just before,
   * and none has ended since. Never rejects.
   */
  admitOwn(): Promise<string | Disposable>;
  /**
   * Gives the reason if no session may come here, in a sentence. The directory doesn't note the
   * session yet, as it may never come.
   */
  refusal(): Promise<string | undefined>;
  /**
   * The same where it comes now, in the midst of a turn (`isRunning`) or not. It is known from here
   * on, and its turn counts, unless what is given is disposed.
   */
  refusalNow(isRunning: boolean): Promise<string | Disposable | undefined>;
  /** An entry `n` of the journal was recorded. */
  heard(n: number, entry: Readonly<Record<string, unknown>>): void;
  /** The session was given away. */
  left(): void;
  /**
   * Called before the session is deleted. The directory is told what it wasn't told yet, and no
   * question is on its way any more. Rejects if the directory is out of reach, as nobody could tell
   * it later.
   */
  deleted(): Promise<void>;
  /**
   * The session rests, and its turn waits for a person or not. A change of that is told, and what it stores where that has
   * changed by much.
   */
  rests(isAsking: boolean): void;
  /** No person is waited for any more. */
  answered(): void;
  /**
   * Asks whether so many bytes may come without a turn. Rejects with `limit-exceeded`, and the
   * directory's sentence, if they may not. They may if the directory is out of reach.
   */
  admitBytes(bytes: number): Promise<void>;
  /**
   * Tells of the turns that have ended, and the session's state: what `reportAlarm` rings. A directory that is out of reach
   * is told later. With one that refuses the report it resolves with what is to be told of that.
   */
  tell(): Promise<unknown>;
}

/** The owner's directory is told of a turn: by an alarm, so that whoever dies before is woken to tell it. */
export const reportAlarm = 'rockpool.report';

/** An hour: a turn that has ended counts as one that runs until then. */
const longestWaitMs = 60 * 60 * 1_000;

/** A day: a directory of an older version is a newer one by then. */
const longestRefusalMs = 24 * 60 * 60 * 1_000;

/** 30 s: a directory that is silent for longer is out of reach. */
const silentMs = 30_000;

/** A minute: by then the turn of a prompt that was let in has begun. */
const letInMs = 60_000;

/** Makes its table, and nothing else. */
export function createObjectOwner(
  directory: DirectoryPort,
  { storage, table, id, stored, isDeleted }: OwnerPorts,
): ObjectOwner {
  const reports = createTurnReports(storage, {
    endTurn: (report) => inTime(directory.endTurn(report), silentMs, createSilentError),
  });
  /** How many turns have ended. */
  let endings = 0;
  /**
   * The last turn that was let in: after how many ends, and until when it needs no further
   * question.
   */
  let letIn = { behind: -1, until: 0 };
  const isLetIn = () => letIn.behind === endings && Date.now() < letIn.until;
  /** How many ask for a turn. */
  let beginning = 0;
  let mayCount = false;
  /** The questions that the directory hasn't answered yet. They never reject. */
  const asked = new Set<Promise<unknown>>();

  /** Asks a question that may enter the session in the directory. */
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
    // If this fails, the instance is over. The next one tells the directory with its next turn.
    table.set(reportAlarm, Date.now()).catch(() => undefined);
  }

  async function askForTurn(waits: boolean): Promise<DirectoryAdmission> {
    // Ended turns are reported first: the budget is judged with them, and a later report would end
    // this turn.
    await reports.tell().catch(() => undefined);
    const behind = reports.newest();
    let asking: Promise<DirectoryAdmission> | undefined;
    try {
      return await ask(() => (asking = directory.beginTurn({ session: id(), behind, waits })));
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
   * The directory may count a turn that nobody here knows of, because its answer came late or was
   * lost.
   */
  function takeBack(): void {
    mayCount = true;
    settleCount();
  }

  /**
   * Reports such a turn once nobody asks for one. A turn that is let in meanwhile has an end of its
   * own, which tells both.
   */
  function settleCount(): void {
    if (!mayCount || beginning > 0) return;
    mayCount = false;
    if (!isDeleted() && reports.neverBegan(id(), stored)) reportSoon();
  }

  /** `waits`: work of the session is held if the turn is refused. */
  async function beginTurn(waits: boolean): Promise<string | undefined> {
    const behind = endings;
    beginning += 1;
    try {
      const asking = askForTurn(waits);
      // The time of the report counts, too, as whoever sends a prompt waits.
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

  /** The turn that was let in last. Its disposal does nothing if another turn was let in since. */
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
      // From here on the admission is the turn's own, also if it was given for a compaction.
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
        // A directory that refuses the report would do so again.
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
        // A report that is refused for days waits for the next turn's report, which has its sums.
        if (!isRefused) await table.set(reportAlarm, Date.now() + Math.min(wait, longestWaitMs));
        else if (wait <= longestRefusalMs) await table.set(reportAlarm, Date.now() + wait);
        return isRefused ? error : undefined;
      }
    },
  };
}

const nothing = (): void => undefined;

function createSilentError(): SdkError {
  return new SdkError(
    'worker-lost',
    `The owner's directory has not answered for ${silentMs / 1_000} s. Try again in a while.`,
  );
}
