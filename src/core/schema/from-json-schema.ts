// A caller's JSON Schema as one that checks. A file of its own, as few sessions fetch it; zod may be imported by no floor
// above core.
import * as z from 'zod';
import { describeThrown, SdkError } from '../errors.ts';
import { isRecord } from '../values/is-record.ts';
import type { InputSchema } from '../tool/tool.ts';

/**
 * `default` and `format` only tell of a value, as the standard has it: nothing is filled in or refused by them.
 *
 * @throws SdkError `bad-usage` for what is no schema of one object, or says something that can't be
 * checked. Such are `if`, references to elsewhere, objects in `const` and `enum`, and keywords of a
 * type that isn't named. `option` is the caller's name for the schema.
 */
export function fromJsonSchema(
  option: string,
  json: Readonly<Record<string, unknown>>,
): InputSchema {
  if (json['type'] !== 'object') {
    throw new SdkError(
      'bad-usage',
      `${option} must be the JSON Schema of one object: { type: 'object', properties: { … } }. Put a list or a single value into a property.`,
      { data: { option } },
    );
  }
  try {
    // A cast: zod gives the type of any schema, and a schema of an object gives an object's.
    const whole = toWhole(json) as Parameters<typeof z.fromJSONSchema>[0];
    return z.fromJSONSchema(whole) as InputSchema;
  } catch (cause) {
    throw new SdkError(
      'bad-usage',
      `${option} can't be checked (${describeThrown(cause)}). Say the same with other keywords of JSON Schema.`,
      { data: { option }, cause },
    );
  }
}

/** The keywords that zod passes over in a schema without that type. */
const typeOfKeyword = new Map([
  ...['properties', 'required', 'additionalProperties', 'patternProperties'].map(
    (keyword) => [keyword, 'object'] as const,
  ),
  ...['items', 'prefixItems', 'minItems', 'maxItems'].map((keyword) => [keyword, 'array'] as const),
  ...['minLength', 'maxLength', 'pattern'].map((keyword) => [keyword, 'string'] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
    (keyword) => [keyword, 'number'] as const,
  ),
]);

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ofSchemas = new Set(['additionalProperties', 'items', 'not']);
const ofLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const ofNames = new Set(['$defs', 'definitions', 'patternProperties', 'properties']);

/** The same as zod reads it whole. @throws TypeError for what it would pass over. */
function toWhole(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const whole: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const type = typeOfKeyword.get(keyword);
    if (type !== undefined && schema['type'] === undefined) {
      throw new TypeError(`${keyword} needs type: '${type}' beside it`);
    }
    const values = keyword === 'const' ? [value] : keyword === 'enum' ? value : [];
    if (Array.isArray(values) && values.some((one) => typeof one === 'object' && one !== null)) {
      throw new TypeError(`${keyword} can hold no object and no list`);
    }
    if (keyword === 'default' || keyword === 'format') continue;
    if (ofSchemas.has(keyword)) whole[keyword] = toWhole(value);
    else if (ofLists.has(keyword) && Array.isArray(value)) whole[keyword] = value.map(toWhole);
    else if (ofNames.has(keyword) && isRecord(value)) {
      const named = Object.entries(value).map(([name, one]) => [name, toWhole(one)] as const);
      whole[keyword] = Object.fromEntries(named);
    } else whole[keyword] = value;
  }
  if (schema['type'] === 'array') whole['items'] ??= {};
  const { required } = schema;
  if (Array.isArray(required)) {
    const any = Object.fromEntries(required.map((name) => [String(name), {}]));
    whole['properties'] = { ...any, ...(whole['properties'] as object | undefined) };
  }
  return whole;
}
