// Converts a caller's JSON Schema to a zod schema that checks. It is a separate file, because few sessions load it.
// It is in core, because no layer above may import zod.
import * as z from 'zod';
import { describeThrown, SdkError } from '../errors.ts';
import { isRecord } from '../values/is-record.ts';
import type { InputSchema } from '../tool/tool.ts';

/**
 * `default` and `format` only describe a value, as in the standard: they neither fill in nor refuse anything.
 *
 * @throws SdkError `bad-usage` if the schema isn't that of one object, or has something that can't be checked: `if`,
 * references to other documents, objects in `const` and `enum`, and keywords for a type that isn't given. `option` is
 * the name of the caller's option, for the message
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
    // The cast is needed because zod returns the type of any schema. Here it is the schema of an object.
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

/** The keywords that zod ignores in a schema without the given type. */
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

/** The schema in a form of which zod ignores nothing. @throws TypeError for a part that zod would ignore */
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
