import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxBackgroundTimeoutMs, replInputParser } from '../../../src/tools/repl/input.ts';
import { replInputSchema } from '../../../src/tools/repl/schema.ts';

const anyTimeout = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.integer({ min: maxBackgroundTimeoutMs - 1, max: maxBackgroundTimeoutMs + 1 }),
  fc.double(),
  fc.constantFrom(Number.NaN, Infinity, 2 ** 53, 1.5, '5', undefined, null),
);
const anyField = fc.oneof(fc.string(), fc.boolean(), fc.constantFrom(undefined, null, 1, [], {}));

/** Mostly nearly right. */
const anyInput = fc.oneof(
  fc.record(
    {
      code: fc.oneof({ weight: 5, arbitrary: fc.string() }, anyField),
      timeout: anyTimeout,
      description: anyField,
      run_in_background: anyField,
      more: anyField,
    },
    { requiredKeys: [] },
  ),
  fc.record({ code: fc.string(), timeout: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
  fc.anything(),
);

describe("the worker's own reading of Repl's input", () => {
  it('takes what the schema takes, with the same fields, and nothing else', () => {
    const taken = { yes: 0, no: 0 };
    fc.assert(
      fc.property(anyInput, (input) => {
        const bySchema = replInputSchema().safeParse(input, { jitless: true });
        const byHand = replInputParser.safeParse(input);
        taken[byHand.success ? 'yes' : 'no'] += 1;
        expect({ ...byHand, error: undefined }).toEqual({ ...bySchema, error: undefined });
      }),
      { numRuns: 2000 },
    );
    // Neither half of the claim is empty.
    expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(100);
  });

  it.each([
    [null, 'no object'],
    [{ code: 1 }, 'code must be a string'],
    [{ code: '', timeout: 0 }, 'timeout must be a whole number from 1 to 7200000'],
    [{ code: '', shell: 'sh' }, 'there is no field "shell"'],
  ])('says what is wrong with %j', (input, message) => {
    expect(replInputParser.safeParse(input)).toMatchObject({ success: false, error: { message } });
  });
});
