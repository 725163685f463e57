// The limits of a cell in one table. Each has a default, can be set for each cell, and has its own
// error message.
import { SdkError } from '../../core/errors.ts';
import { defaultMemoryBytes } from '../../core/tool/handler.ts';
import { maxNestedCalls } from '../../core/tool/nested-call.ts';
import { frozenQuestionsPerMs } from './deadline.ts';

/**
 * Limits of one cell. Work beyond a limit is refused or the cell is cut. The session continues in
 * either case.
 */
export interface CellLimits {
  /**
   * Milliseconds from the cell's start to its value, including waiting. A cell that exceeds it is
   * cut.
   */
  readonly timeoutMs: number;
  /**
   * How often the engine may poll whether to continue. It polls a few times in each millisecond of
   * computing, and never while the cell waits. Meant for hosts whose clock stands still while code
   * runs. A cell that exceeds it is cut.
   */
  readonly maxSteps: number;
  /** The number of polls that count as a millisecond if the host's clock stands still. */
  readonly questionsPerMs: number;
  /**
   * The guest's heap in bytes for all variables of the session, including ArrayBuffers. A cell that
   * exceeds it is cut. Open calls may hold as much again, and so may the files that the cell has
   * written. Further ones throw.
   */
  readonly maxMemoryBytes: number;
  /**
   * The guest's stack in bytes. The guest may catch the RangeError. The cell is cut if the host's
   * own stack ends first, as with deep JSON or deep syntax. With more than the default that may
   * happen in any recursion. A VM keeps the size with which it was started.
   */
  readonly maxStackBytes: number;
  /**
   * UTF-16 units of stdout, of stderr and of the value's text, each. In longer output the middle is
   * left out, in a longer value the end.
   */
  readonly maxOutputChars: number;
  /** Calls of tools by the cell. Further ones reject. */
  readonly maxNestedCalls: number;
  /**
   * Open files, timers and open calls of the host, each kind counted separately. Further ones
   * throw.
   */
  readonly maxOpenHandles: number;
  /** Requests to the network; each redirect counts. Further ones reject. */
  readonly maxFetches: number;
  /** Bytes of all request and response bodies together. A request that would exceed it rejects. */
  readonly maxFetchBytes: number;
}

const megabyte = 1024 * 1024;

export const defaultCellLimits: CellLimits = {
  // 2 minutes, as for Bash.
  timeoutMs: 120_000,
  // About 15 minutes of computing, which is longer than any timeout. A host that pays for computing
  // sets less.
  maxSteps: 1_000_000,
  questionsPerMs: frozenQuestionsPerMs,
  maxMemoryBytes: defaultMemoryBytes,
  // 256 kB: about 1000 plain calls deep, with room for native frames in a worker's stack of 1 MB.
  maxStackBytes: 256 * 1024,
  // 100 000: more than a model reads of a result, with room for text that a person scrolls through.
  maxOutputChars: 100_000,
  maxNestedCalls,
  // 1 024: the limit of open files of a Unix process.
  maxOpenHandles: 1_024,
  // 100: a few pages of a list from an API, with the details of each item.
  maxFetches: 100,
  // 16 MB: a response may be in the heap three times, as bytes, as text and as the value parsed
  // from it.
  maxFetchBytes: 16 * megabyte,
};

/** Returns the limits that a request sets, and the defaults for all others. */
export function toCellLimits(given: Partial<CellLimits>): CellLimits {
  const limits: Record<string, number> = { ...defaultCellLimits };
  for (const key of Object.keys(defaultCellLimits) as (keyof CellLimits)[]) {
    limits[key] = given[key] ?? defaultCellLimits[key];
  }
  return limits as unknown as CellLimits;
}

/** Limits that throw an error in the cell instead of cutting it. The cell may catch it. */
export type CountedLimit =
  'maxMemoryBytes' | 'maxNestedCalls' | 'maxOpenHandles' | 'maxFetches' | 'maxFetchBytes';

const texts: Readonly<Record<CountedLimit, (limit: number) => string>> = {
  // Memory that the host holds for open calls of the guest.
  maxMemoryBytes: (limit) =>
    `The calls under way may hold ${limit} bytes, as the sandbox's memory may, and this would be ` +
    'more. Await some of them first.',
  maxNestedCalls: (limit) =>
    `A cell may call tools ${limit} times, and this one has. Do the rest in another cell.`,
  maxOpenHandles: (limit) =>
    `A cell may have ${limit} open at once (files, timers, calls under way), and this one has. ` +
    'Close or await some of them first.',
  maxFetches: (limit) =>
    `A cell may send ${limit} requests to the network, and this one has. Do the rest in another cell.`,
  maxFetchBytes: (limit) =>
    `A cell may move ${limit} bytes over the network, requests and responses together, and this ` +
    'would be more. Ask for less of it, or for a part by a Range header.',
};

/** Returns the error for the guest: a LimitError with `code` ERR_LIMIT. */
export function limitReached(limit: CountedLimit, limits: CellLimits): SdkError {
  const error = new SdkError('limit-exceeded', texts[limit](limits[limit]), {
    data: { limit, value: limits[limit] },
  });
  error.name = 'LimitError';
  return error;
}

/** Counts the resources that one cell uses. */
export class CellMeter {
  readonly limits: CellLimits;
  readonly #used: Record<CountedLimit, number> = {
    maxMemoryBytes: 0,
    maxNestedCalls: 0,
    maxOpenHandles: 0,
    maxFetches: 0,
    maxFetchBytes: 0,
  };
  #steps = 0;

  constructor(limits: CellLimits) {
    this.limits = limits;
  }

  /** Counts one poll of the engine. */
  step(): void {
    this.#steps += 1;
  }

  get steps(): number {
    return this.#steps;
  }

  get isOutOfSteps(): boolean {
    return this.#steps > this.limits.maxSteps;
  }

  /**
   * Counts `amount` more.
   * @throws SdkError `limit-exceeded` if that exceeds the limit. Nothing is counted then.
   */
  take(limit: CountedLimit, amount = 1): void {
    if (this.#used[limit] + amount > this.limits[limit]) throw limitReached(limit, this.limits);
    this.#used[limit] += amount;
  }

  /** Inverse of {@link CellMeter.take}, for a resource that was closed. */
  giveBack(limit: CountedLimit, amount = 1): void {
    this.#used[limit] -= amount;
  }
}
