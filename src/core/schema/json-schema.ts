// Converts a tool's input schema for the API. This is in core, because no layer above may import zod. Called by
// `agent/registry/to-tool-param.ts`.
import * as z from 'zod';
import { SdkError } from '../errors.ts';
import type { InputSchema } from '../tool/tool.ts';

/** JSON Schema of an object: the `input_schema` of the API. */
export interface InputJsonSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/**
 * The schema as JSON Schema, with the `.describe()` texts. A field with a default isn't required.
 *
 * @throws SdkError `invalid-input` if the schema isn't that of one object, or can't be converted to JSON Schema
 */
export function toInputJsonSchema(toolName: string, schema: InputSchema): InputJsonSchema {
  const { $schema: _, ...json } = write(toolName, schema);
  return checkObjectSchema(toolName, json);
}

/**
 * Returns the schema if the API accepts it.
 *
 * @throws SdkError `invalid-input` for a schema that isn't that of one object
 */
export function checkObjectSchema(
  toolName: string,
  json: Readonly<Record<string, unknown>>,
): InputJsonSchema {
  if (isObjectSchema(json)) return json;
  const isUnion = 'anyOf' in json || 'oneOf' in json;
  const remedy = isUnion
    ? ' Put the union into a field: z.strictObject({ action: z.union([…]) }).'
    : '';
  throw new SdkError(
    'invalid-input',
    `The input schema of ${toolName} must describe one object, as z.strictObject({…}) does: the API takes nothing else.${remedy}`,
    { data: { toolName } },
  );
}

function write(toolName: string, schema: InputSchema): Record<string, unknown> {
  try {
    return z.toJSONSchema(schema, { io: 'input' });
  } catch (cause) {
    throw new SdkError(
      'invalid-input',
      `The input schema of ${toolName} can't be written as JSON Schema (${String(cause)}). Use types that JSON has.`,
      { data: { toolName }, cause },
    );
  }
}

function isObjectSchema(json: Readonly<Record<string, unknown>>): json is InputJsonSchema {
  return json['type'] === 'object';
}
