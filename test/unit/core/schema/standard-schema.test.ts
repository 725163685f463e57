import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toInputJsonSchema } from '../../../../src/core/schema/json-schema.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import { standardInput, toInputParts } from '../../../../src/core/schema/standard-schema.ts';
import type { StandardSchema } from '../../../../src/core/schema/standard-schema.ts';

type City = { city: string; days: number };

const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** A schema as another library has it: nothing but the two specifications. */
function foreign(changes: Partial<StandardSchema<City>['~standard']> = {}): StandardSchema<City> {
  return {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: (value) => {
        const { city, days = 1 } = value as Partial<City>;
        if (typeof city === 'string') return { value: { city, days } };
        return { issues: [{ message: 'must be a string', path: ['city', { key: 0 }] }] };
      },
      jsonSchema: { input: ({ target }) => ({ $schema: target, ...json }) },
      ...changes,
    },
  };
}

const refusalOf = (make: () => unknown) => {
  try {
    make();
  } catch (error) {
    return SdkError.isInstance(error) ? `${error.code}: ${error.message}` : error;
  }
  return 'nothing was refused';
};

describe('a Standard Schema', () => {
  it('parses the input by its library, and tells the API what that writes', () => {
    const { inputSchema, inputJSONSchema } = standardInput('Trip', foreign());
    expect(inputSchema.parse({ city: 'Bern' }, { jitless: true })).toEqual({
      city: 'Bern',
      days: 1,
    });
    expect(inputJSONSchema).toEqual(json);
  });

  it('gives its issues with their paths', () => {
    const { inputSchema } = standardInput('Trip', foreign());
    const { error } = inputSchema.safeParse({}, { jitless: true });
    expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [['city', 0], 'must be a string'],
    ]);
  });

  it('gives plain lists for paths, where its library has a class of its own', () => {
    class Path extends Array<PropertyKey> {
      readonly cache = {};
    }
    const validate = () => ({ issues: [{ message: 'is wrong', path: Path.of('city') }] });
    const { error } = standardInput('Trip', foreign({ validate })).inputSchema.safeParse({});
    expect(error?.issues[0]?.path).toEqual(['city']);
    expect(Object.getPrototypeOf(error?.issues[0]?.path)).toBe(Array.prototype);
  });

  it('works as a real library implements it', () => {
    const trip = z.object({ city: z.string().describe('Where to.') });
    // The two specifications' part alone: no zod object any more.
    const schema = { '~standard': trip['~standard'] } as StandardSchema<{ city: string }>;
    const { inputSchema, inputJSONSchema } = standardInput('Trip', schema);
    expect(inputSchema.safeParse({ city: 1 }).success).toBe(false);
    expect(inputSchema.parse({ city: 'Bern' })).toEqual({ city: 'Bern' });
    expect(inputJSONSchema).toEqual(toInputJsonSchema('Trip', trip));
  });

  it('may have its JSON Schema beside it, where its library writes none', () => {
    const given = { type: 'object', properties: {} } as const;
    const schema = foreign();
    const { jsonSchema: _, ...checks } = schema['~standard'];
    expect(standardInput('Trip', { '~standard': checks }, given).inputJSONSchema).toEqual(given);
  });

  it.each<[string, () => unknown, string]>([
    [
      'nothing that is one',
      () => standardInput('Trip', { parse: () => {} } as unknown as StandardSchema<City>),
      'invalid-input: The input schema of Trip is no Standard Schema: use zod, or a library that implements it, such as Valibot or ArkType.',
    ],
    [
      'one that is not written',
      () => {
        const { jsonSchema: _, ...checks } = foreign()['~standard'];
        return standardInput('Trip', { '~standard': checks });
      },
      'invalid-input: The input schema of Trip can be checked by other, but not written as JSON Schema: it has no ~standard.jsonSchema. Take a version of other that has, its adapter, or give the JSON Schema beside it.',
    ],
    [
      'one whose writing fails',
      () =>
        standardInput(
          'Trip',
          foreign({
            jsonSchema: {
              input: () => {
                throw new Error('a date has no JSON');
              },
            },
          }),
        ),
      "invalid-input: The input schema of Trip can't be written as JSON Schema by other (Error: a date has no JSON).",
    ],
    [
      'one of something else than an object',
      () => standardInput('Trip', foreign({ jsonSchema: { input: () => ({ type: 'string' }) } })),
      'invalid-input: The input schema of Trip must describe one object: the API takes nothing else.',
    ],
  ])('is refused at once where it is %s', (_, make, message) => {
    expect(refusalOf(make)).toBe(message);
  });

  it('that checks asynchronously says so when it is to check', () => {
    const validate = () => Promise.resolve({ value: { city: '', days: 1 } });
    const { inputSchema } = standardInput('Trip', foreign({ validate }));
    expect(() => inputSchema.safeParse({})).toThrow('a schema of other must check without waiting');
  });
});

describe('toInputParts', () => {
  it.each<[string, Parameters<typeof toInputParts>[1], boolean]>([
    ['a shape of zod types', { city: z.string() }, false],
    ['a zod object, as it is', z.strictObject({ city: z.string() }), false],
    ['a Standard Schema', foreign(), true],
    ['a field that is called like the mark', { '~standard': z.string() }, false],
  ])('takes %s', (_, given, hasJson) => {
    const parts = toInputParts('Trip', given);
    expect(parts.inputJSONSchema !== undefined).toBe(hasJson);
    expect(parts.inputSchema.safeParse({ city: 1 }).success).toBe(false);
  });

  it('refuses unknown keys of a shape', () => {
    const { inputSchema } = toInputParts('Trip', { city: z.string() });
    expect(inputSchema.safeParse({ city: 'Bern', __proto: 1 }).success).toBe(false);
  });
});
