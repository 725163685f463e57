// The limits of a cell, in one table. Each has a default, can be set for each cell, and has its own
// text for a reached limit.
import { SdkError } from '../../core/errors.ts';
import { defaultMemoryBytes } from '../../core/tool/handler.ts';
import { maxNestedCalls } from '../../core/tool/nested-call.ts';
import { frozenQuestionsPerMs } from './deadline.ts';

/** Anything that reaches one of these limits is refused or cut, and the session lives on. */
export interface CellLimits {
  /** Milliseconds from the cell's start to its value, waiting included. Cuts the cell. */
  readonly timeoutMs: number;
  /**
   * How often the engine may ask whether to go on: some times in each millisecond of computing,
   * and waiting costs none. For hosts whose clock stands still while code runs. Cuts the cell.
   */
  readonly maxSteps: number;
  /** How many of those questions count as a millisecond, if the host's clock stands still. */
  readonly questionsPerMs: number;
  /**
   * The guest's heap in bytes, ArrayBuffers included, for all of the session's variables. Cuts the
   * cell. As much again may be held for calls that are under way, and as much by files that the cell
   * has written; further ones throw.
   */
  readonly maxMemoryBytes: number;
  /**
   * The guest's stack in bytes. The guest may catch the RangeError. Where the host's own stack ends
   * first (deep JSON, deep syntax) the cell is cut. With more than the default, any recursion may
   * end so. A VM keeps the size that it was started with.
   */
  readonly maxStackBytes: number;
  /** UTF-16 units of each of stdout, stderr and the value's text. Leaves out the middle, or the end. */
  readonly maxOutputChars: number;
  /** Calls of tools out of the cell. Further ones reject. */
  readonly maxNestedCalls: number;
  /**
   * Open files, timers and calls of the host that are under way, each kind by itself. Further ones
   * throw.
   */
  readonly maxOpenHandles: number;
  /** Requests to the network, each redirect counted. Further ones reject. */
  readonly maxFetches: number;
  /** Bytes of the bodies of all requests and responses together. What would exceed it rejects. */
  readonly maxFetchBytes: number;
}

const megabyte = 1024 * 1024;

export const defaultCellLimits: CellLimits = {
  // 2 minutes, as Bash has it.
  timeoutMs: 120_000,
  // Some 15 minutes of computing: longer than any timeout. A host that pays for it sets less.
  maxSteps: 1_000_000,
  questionsPerMs: frozenQuestionsPerMs,
  maxMemoryBytes: defaultMemoryBytes,
  // About 1000 plain calls deep, with room for native frames in the 1 MB that workers have.
  maxStackBytes: 256 * 1024,
  // The most that a model reads of a result, with room for text that people scroll through.
  maxOutputChars: 100_000,
  maxNestedCalls,
  // The limit of open files of a process on Unix systems.
  maxOpenHandles: 1_024,
  // A few pages of an API's list, with their details.
  maxFetches: 100,
  // A response is in the heap up to three times: as bytes, as text, and as the value made of it.
  maxFetchBytes: 16 * megabyte,
};

/** The limits that a request names, and the defaults for all others. */
export function toCellLimits(given: Partial<CellLimits>): CellLimits {
  const limits: Record<string, number> = { ...defaultCellLimits };
  for (const key of Object.keys(defaultCellLimits) as (keyof CellLimits)[]) {
    limits[key] = given[key] ?? defaultCellLimits[key];
  }
  return limits as unknown as CellLimits;
}

/** Limits that a cell reaches by its requests, and may catch. */
export type CountedLimit =
  'maxMemoryBytes' | 'maxNestedCalls' | 'maxOpenHandles' | 'maxFetches' | 'maxFetchBytes';

const texts: Readonly<Record<CountedLimit, (limit: number) => string>> = {
  // The memory that the host keeps for the guest while it works on it.
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

/** The LimitError for the guest, with `code` ERR_LIMIT. */
export function limitReached(limit: CountedLimit, limits: CellLimits): SdkError {
  const error = new SdkError('limit-exceeded', texts[limit](limits[limit]), {
    data: { limit, value: limits[limit] },
  });
  error.name = 'LimitError';
  return error;
}

/** Counts what one cell uses up. */
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

  /** Counts one question of the engine. */
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
   * @throws SdkError `limit-exceeded`, and counts nothing, if that is over the limit.
   */
  take(limit: CountedLimit, amount = 1): void {
    if (this.#used[limit] + amount > this.limits[limit]) throw limitReached(limit, this.limits);
    this.#used[limit] += amount;
  }

  /** Inverse of {@link CellMeter.take}: something open is closed again. */
  giveBack(limit: CountedLimit, amount = 1): void {
    this.#used[limit] -= amount;
  }
}
