// Adapts an input schema to the API, which refuses some valid JSON Schemas, together with the whole
// request. Used by to-tool-param.ts.
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';
import { isRecord } from '../../core/values/is-record.ts';

/**
 * The part that the API accepts, and the rest for the description; undefined if there is no rest.
 */
export interface SplitSchema {
  readonly sent: InputJsonSchema;
  readonly rest: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The API refuses `oneOf`, `allOf` and `anyOf` at the top of a schema. A field's name there has at
 * most 64 characters of `A-Z a-z 0-9 _ . -`. An input may still have the removed fields.
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
  // The input may have the removed fields, so additional properties are allowed. The server checks
  // the others.
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
