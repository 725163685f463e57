// The input of a cell, parsed without zod, because a tool worker must not load a schema library (25
// kB) before its first cell. schema.ts has the same fields, and a test compares the two.
import type { PlainParser } from '../../core/schema/plain-parser.ts';

// The default time of a cell: 2 minutes, as in Bash.
export const defaultTimeoutMs = 120_000;

/** 10 minutes, as in Bash: longer than any test run that a caller would wait for. */
export const maxTimeoutMs = 600_000;

// The default time of a cell in the background: 30 minutes, as in Bash.
export const defaultBackgroundTimeoutMs = 1_800_000;

// 2 hours, as in Bash.
export const maxBackgroundTimeoutMs = 7_200_000;

export interface ReplInput {
  readonly code: string;
  readonly timeout?: number | undefined;
  readonly description?: string | undefined;
  readonly run_in_background?: boolean | undefined;
}

/** The cell's time limit, or the default for its kind. */
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

/** Replaces the zod schema in the worker. It accepts exactly the same inputs. */
export const replInputParser: PlainParser<ReplInput> = {
  safeParse(input) {
    const complaint = findFault(input);
    return complaint === undefined
      ? // The cast: each field was checked.
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
