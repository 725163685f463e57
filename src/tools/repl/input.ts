// What a cell's call says, without zod: a tool worker fetches no schema library (25 kB) before its
// first cell. schema.ts says the same for the model and the page, and a test holds the two together.
import type { PlainParser } from '../../core/schema/plain-parser.ts';

// How long a cell may run when it says nothing: 2 minutes, as Bash has it.
export const defaultTimeoutMs = 120_000;

/** 10 minutes, as Bash has it: longer than any project's tests that one would wait for. */
export const maxTimeoutMs = 600_000;

// How long a cell in the background may run when it says nothing: 30 minutes, as Bash has it.
export const defaultBackgroundTimeoutMs = 1_800_000;

// 2 hours, as Bash has it.
export const maxBackgroundTimeoutMs = 7_200_000;

export interface ReplInput {
  readonly code: string;
  readonly timeout?: number | undefined;
  readonly description?: string | undefined;
  readonly run_in_background?: boolean | undefined;
}

/** What the cell itself says, or what holds for its kind. */
export function readTimeoutMs({ timeout, run_in_background: isInBackground }: ReplInput): number {
  return timeout ?? (isInBackground === true ? defaultBackgroundTimeoutMs : defaultTimeoutMs);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTimeout: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxBackgroundTimeoutMs;

/** The check of each field; unknown fields are refused. */
const checks: ReadonlyMap<string, { readonly what: string; readonly check: Check }> = new Map([
  ['code', { what: 'a string', check: isText }],
  [
    'timeout',
    {
      what: `a whole number from 1 to ${maxBackgroundTimeoutMs}`,
      check: (value) => value === undefined || isTimeout(value),
    },
  ],
  ['description', { what: 'a string', check: (value) => value === undefined || isText(value) }],
  [
    'run_in_background',
    {
      what: 'true or false',
      check: (value) => value === undefined || typeof value === 'boolean',
    },
  ],
]);

/** Stands in for the zod schema where a call reaches the worker: takes what that takes, no more. */
export const replInputParser: PlainParser<ReplInput> = {
  safeParse(input) {
    const complaint = findFault(input);
    return complaint === undefined
      ? // The cast: each field was looked at.
        { success: true, data: { ...(input as ReplInput) } }
      : { success: false, error: new Error(complaint) };
  },
};

function findFault(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 'no object';
  const fields = new Map(Object.entries(input));
  for (const name of fields.keys()) {
    if (!checks.has(name)) return `there is no field ${JSON.stringify(name)}`;
  }
  for (const [name, { what, check }] of checks) {
    if (!check(fields.get(name))) return `${name} must be ${what}`;
  }
  return undefined;
}
