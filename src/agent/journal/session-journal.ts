// A session's journal while it runs: each record is folded at once and goes to the medium in order. The one
// way in which the stages change what the session knows.
import type { Version } from '../../core/change-set.ts';
import { SdkError, describeThrown, hasCode } from '../../core/errors.ts';
import { asSentence } from '../../core/text/as-sentence.ts';
import type { AgentJournalRecord, JournalEntry } from '../../core/session/journal.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionFold } from './fold.ts';
import { encodeRecord } from './journal-codec.ts';
import type { EncodedRecord } from './journal-codec.ts';

/** How sure an entry must be: in the system's hands, or flushed to the medium. */
export type JournalDurability = 'process' | 'power';

/** What is appended. `at`: how long the stream is expected to be. */
export interface JournalAppend {
  /** The id of the stream. */
  readonly stream: string;
  readonly at: number;
  readonly entries: readonly EncodedRecord[];
}

/** Where a journal is kept. Rejects with `EFENCED` where another writer has appended since. */
export interface JournalStore {
  /** The id of the workspace's stream that it is. */
  readonly stream: string;
  append(append: JournalAppend, durability: JournalDurability): Promise<unknown>;
}

/** Owned by its session. */
export interface SessionJournal {
  /** All that the session knows. */
  readonly fold: SessionFold;
  /** False: it is in memory alone, and gone with the session. */
  readonly isKept: boolean;
  /** Aborted when the journal can't be written any more; its reason is the SdkError. */
  readonly broken: AbortSignal;
  /**
   * Records these together: all of them land, or none. Resolves when they are folded: at once, or after
   * a commit that is under way. They are on their way to the medium then, in order.
   *
   * @throws the error that broke the journal; SdkError `invalid-input` for what JSON can't say: nothing is
   * recorded then.
   */
  record(...records: readonly AgentJournalRecord[]): Promise<void>;
  /** The same for a caller that doesn't wait. {@link broken} reports a failure. */
  note(...records: readonly AgentJournalRecord[]): void;
  /** The same, and resolves only when they, and all before them, outlive a power cut. */
  recordSafely(...records: readonly AgentJournalRecord[]): Promise<void>;
  /**
   * Records these in the same record of the log as a commit. `commit` is called when all before them have
   * landed, and must not wait for anything that is recorded meanwhile. Where it rejects, nothing was
   * recorded, and the error is passed on. What it resolves to has the commit's number.
   */
  recordWith<Result extends { readonly seq: Version }>(
    records: readonly AgentJournalRecord[],
    commit: (append: JournalAppend | undefined) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Records these, as the last ones: nothing is recorded or committed after them, and {@link broken} is aborted once
   * they outlive a power cut. Resolves then. `why`: what whoever records later is told.
   */
  seal(records: readonly AgentJournalRecord[], why: SdkError): Promise<void>;
  /**
   * Aborted when the journal is sealed, before {@link broken}. Whoever shows the session then tells
   * nothing of its end.
   */
  readonly sealed: AbortSignal;
  /**
   * Resolves when all that was recorded has landed, as durable as each asked for; what hasn't gone out yet
   * outlives a power cut then.
   *
   * @throws the error that broke the journal.
   */
  flush(): Promise<void>;
  /** Resolves when entry `n` has landed. False: the journal broke before. */
  hasLanded(n: number): Promise<boolean>;
  /** Nothing is recorded from here on, and {@link broken} is aborted with this reason: the medium is being closed. */
  breakOff(reason: SdkError): void;
  /** Called with each entry when it is folded, in order. Must not throw. */
  onEntry(listener: (entry: JournalEntry) => void): Disposable;
}

/** What a journal needs. */
export interface JournalPorts {
  /** What was recorded before. Empty for a new session. */
  readonly fold: SessionFold;
  /** Undefined: the session is kept in memory alone. */
  readonly store: JournalStore | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

interface Batch {
  readonly at: number;
  readonly entries: EncodedRecord[];
  durability: JournalDurability;
  /** How its entries landed, or why not. */
  readonly landed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Continues where the fold ends. */
export function createSessionJournal({ fold, store, clock }: JournalPorts): SessionJournal {
  const listeners = new Set<(entry: JournalEntry) => void>();
  const breaking = new AbortController();
  const sealing = new AbortController();
  /** Entries that wait for the append under way. */
  let waiting: Batch | undefined;
  /** The newest append, landed or not. Never rejects. */
  let appending: Promise<void> = Promise.resolve();
  let isAppending = false;
  /** The batch under way. */
  let underWay: Batch | undefined;
  /** The last entry that is on the medium. */
  let landed = fold.length;
  /** The newest commit that entries wait for. Never rejects. */
  let committing: Promise<unknown> | undefined;

  const isBroken = () => breaking.signal.aborted;
  const broke = new Promise<void>((resolve) => {
    breaking.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const check = () => {
    if (isBroken()) throw breaking.signal.reason;
    if (sealing.signal.aborted) throw sealing.signal.reason;
  };

  function breakBy(error: unknown): void {
    if (!isBroken()) breaking.abort(toJournalError(error));
  }

  /** The records as the entries that they are about to be. */
  function toEntries(records: readonly AgentJournalRecord[]): JournalEntry[] {
    const time = clock.now();
    return records.map((record, index) => ({ ...record, n: fold.length + index + 1, time }));
  }

  function foldIn(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      fold.apply(entry);
      for (const listener of [...listeners]) listener(entry);
    }
  }

  /** Folds, and puts the entries into the next append. Gives when that has landed. */
  function take(
    records: readonly AgentJournalRecord[],
    durability: JournalDurability,
  ): Promise<void> {
    check();
    const at = fold.length;
    const entries = toEntries(records);
    // Encoded before it is folded, because what can't be written must not be known either.
    const encoded = store ? entries.map(encode) : [];
    foldIn(entries);
    if (!store) {
      landed = fold.length;
      return Promise.resolve();
    }
    waiting ??= createBatch(at);
    waiting.entries.push(...encoded);
    if (durability === 'power') waiting.durability = 'power';
    const batch = waiting;
    if (!isAppending) appending = appendWaiting(store);
    return batch.landed;
  }

  // One at a time: what is recorded meanwhile goes with the next.
  async function appendWaiting(to: JournalStore): Promise<void> {
    isAppending = true;
    for (let batch = waiting; batch; batch = waiting) {
      waiting = undefined;
      underWay = batch;
      try {
        if (isBroken()) throw breaking.signal.reason;
        await to.append(
          { stream: to.stream, at: batch.at, entries: batch.entries },
          batch.durability,
        );
        landed = batch.at + batch.entries.length;
        fold.letGo(landed);
        batch.resolve();
      } catch (error) {
        breakBy(error);
        batch.reject(breaking.signal.reason);
      }
    }
    underWay = undefined;
    isAppending = false;
  }

  /** Runs when no commit is under way that entries wait for: at once, where there is none. */
  function inOrder<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (!committing) return Promise.resolve(work());
    const run = committing.then(work);
    hold(run);
    return run;
  }

  function hold(run: Promise<unknown>): void {
    const held = run
      .catch(() => undefined)
      .then(() => {
        if (committing === held) committing = undefined;
      });
    committing = held;
  }

  async function record(...records: readonly AgentJournalRecord[]): Promise<void> {
    if (records.length > 0) await inOrder(() => void take(records, 'process'));
  }

  return {
    fold,
    isKept: store !== undefined,
    broken: breaking.signal,
    record,
    note(...records) {
      record(...records).catch(() => undefined);
    },
    async recordSafely(...records) {
      // In an object: a promise alone would keep those behind it waiting for the medium.
      const { landed } = await inOrder(() => ({ landed: take(records, 'power') }));
      await landed;
    },
    recordWith(records, commit) {
      const run = (committing ?? Promise.resolve()).then(async () => {
        check();
        await appending;
        check();
        const entries = toEntries(records);
        const append = store && {
          stream: store.stream,
          at: fold.length,
          entries: entries.map(encode),
        };
        const result = await commit(append).catch((error: unknown) => {
          if (hasCode(error, 'EFENCED')) breakBy(error);
          throw error;
        });
        landed = fold.length + entries.length;
        foldIn(entries.map((entry) => ({ ...entry, seq: result.seq })));
        return result;
      });
      hold(run);
      return run;
    },
    sealed: sealing.signal,
    async seal(records, why) {
      const { landed } = await inOrder(() => {
        const last = { landed: take(records, 'power') };
        sealing.abort(why);
        return last;
      });
      await landed;
      breakBy(why);
    },
    async flush() {
      await inOrder(() => undefined);
      if (waiting) waiting.durability = 'power';
      await appending;
      check();
    },
    async hasLanded(n) {
      while (n > landed && !isBroken()) {
        const batch = underWay ?? waiting;
        if (!batch) break;
        await Promise.race([batch.landed, broke]).catch(() => undefined);
      }
      return n <= landed;
    },
    breakOff: (reason) => breaking.abort(reason),
    onEntry(listener) {
      const own = (entry: JournalEntry) => listener(entry);
      listeners.add(own);
      return { [Symbol.dispose]: () => void listeners.delete(own) };
    },
  };
}

function createBatch(at: number): Batch {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const landed = new Promise<void>((...settlers) => ([resolve, reject] = settlers));
  // A caller that doesn't wait for it hears of a failure by `broken`.
  landed.catch(() => undefined);
  return { at, entries: [], durability: 'process', landed, resolve, reject };
}

/** @throws SdkError `invalid-input` for what JSON can't say. */
function encode(entry: JournalEntry): EncodedRecord {
  try {
    return encodeRecord(entry);
  } catch (error) {
    const why = describeThrown(error);
    throw new SdkError(
      'invalid-input',
      `An entry can't be written as JSON: ${entry.type}. ${why}`,
      {
        cause: error,
      },
    );
  }
}

/** Words for the reader of the turn's result. */
function toJournalError(error: unknown): SdkError {
  // They say themselves what to do.
  const isWhole =
    SdkError.isInstance(error) && ['movedAway', 'isCleared'].some((name) => name in error.data);
  if (isWhole) return error;
  if (hasCode(error, 'EFENCED')) {
    return new SdkError(
      'EFENCED',
      'Another tab or process has taken this session over. Open it again to follow it, or to take it back.',
      { cause: error },
    );
  }
  const code = SdkError.isInstance(error) ? error.code : 'EIO';
  const what =
    code === 'ENOSPC'
      ? 'The medium is full, so the session could not be recorded. Free some space, then resume it.'
      : `The session could not be recorded: ${asSentence(describeThrown(error))} Resume it to go on from what was.`;
  return new SdkError(code, what, { cause: error });
}
