// A schema of an input as the API takes it. It refuses some that are valid JSON Schema, and with one of them the
// whole request. to-tool-param.ts is its caller.
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** What the API takes, and what is left for the description: undefined where it takes all. */
export interface SplitSchema {
  readonly sent: InputJsonSchema;
  readonly rest: Readonly<Record<string, unknown>> | undefined;
}

/**
 * At the top of a schema the API takes neither `oneOf`, `allOf` nor `anyOf`. A field's name there has at most 64
 * characters of `A-Z a-z 0-9 _ . -`. An input may have these fields all the same.
 */
export function splitSchema(schema: InputJsonSchema): SplitSchema {
  const { oneOf, allOf, anyOf, ...plain } = schema;
  const composed = Object.fromEntries(
    Object.entries({ oneOf, allOf, anyOf }).filter(([, value]) => value !== undefined),
  );
  const fields = isRecord(plain['properties']) ? Object.entries(plain['properties']) : [];
  const odd = fields.filter(([name]) => !takenName.test(name));
  if (odd.length === 0 && Object.keys(composed).length === 0) {
    return { sent: schema, rest: undefined };
  }
  if (odd.length === 0) return { sent: plain, rest: composed };
  // The odd ones may be given, too: the server says what else may not.
  const { additionalProperties: _, ...open } = plain;
  const required: readonly unknown[] = Array.isArray(plain['required']) ? plain['required'] : [];
  const isOdd = (name: unknown) => odd.some(([other]) => other === name);
  const oddRequired = required.filter(isOdd);
  return {
    sent: {
      ...open,
      properties: Object.fromEntries(fields.filter(([name]) => !isOdd(name))),
      ...(required.length > 0 && { required: required.filter((name) => !isOdd(name)) }),
    },
    rest: {
      properties: Object.fromEntries(odd),
      ...(oddRequired.length > 0 && { required: oddRequired }),
      ...composed,
    },
  };
}

const takenName = /^[\w.-]{1,64}$/u;
