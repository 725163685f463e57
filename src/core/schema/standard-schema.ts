// Accepts schemas of other libraries (Valibot, ArkType, …) for a tool's input. Standard Schema checks the input, and
// Standard JSON Schema describes it to the API. Both are at standardschema.dev.
import * as z from 'zod';
import { SdkError } from '../errors.ts';
import type { InputJsonSchema } from './json-schema.ts';
import type { InputSchema } from '../tool/tool.ts';

/** The part of a Standard Schema that is needed here. `jsonSchema` belongs to Standard JSON Schema. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The members for a tool's definition. Spread them: `buildTool({ ...standardInput('Name', schema), … })`. */
export interface StandardInput<Output extends Record<string, unknown>> {
  readonly inputSchema: z.ZodType<Output>;
  readonly inputJSONSchema: InputJsonSchema;
}

/**
 * Converts a schema of another library for a tool's input. `inputJSONSchema` is the JSON Schema for the API; it is
 * needed for a library that can't create one. Unknown keys are refused only if the schema refuses them.
 *
 * @throws SdkError `invalid-input` if the value isn't a Standard Schema, can't be converted to JSON Schema, or isn't
 * the schema of one object. A schema that checks asynchronously fails each call
 */
export function standardInput<Output extends Record<string, unknown>>(
  toolName: string,
  schema: StandardSchema<Output>,
  inputJSONSchema?: InputJsonSchema,
): StandardInput<Output> {
  if (!isStandardSchema(schema)) {
    throw refuse(
      toolName,
      'is no Standard Schema: use zod, or a library that implements it, such as Valibot or ArkType',
    );
  }
  return {
    inputSchema: toZod(schema),
    inputJSONSchema: checkObject(toolName, inputJSONSchema ?? writeJson(toolName, schema)),
  };
}

/** True if the value has the mark of a Standard Schema. zod's schemas have it, too. */
function isStandardSchema(schema: unknown): schema is StandardSchema {
  const mark = (schema as { readonly ['~standard']?: unknown } | null | undefined)?.['~standard'];
  const { version, validate } = (mark ?? {}) as Partial<StandardSchema['~standard']>;
  return version === 1 && typeof validate === 'function';
}

/**
 * For a shape `{ name: z.string(), … }` a zod schema that refuses unknown keys. Any other schema is used unchanged.
 *
 * @throws SdkError `invalid-input` as {@link standardInput}, and for a shape whose values aren't zod's types: JSON
 * Schema or types of zod 3 would fail every call
 */
export function toInputParts(
  toolName: string,
  given: z.ZodRawShape | StandardSchema<Record<string, unknown>>,
): { readonly inputSchema: InputSchema; readonly inputJSONSchema?: InputJsonSchema } {
  if (given instanceof z.ZodType) return { inputSchema: given as InputSchema };
  if (isStandardSchema(given)) return standardInput(toolName, given);
  const wrong = Object.keys(given).find((key) => !isZodType(given[key]));
  if (wrong !== undefined) {
    const what =
      (given['type'] as unknown) === 'object'
        ? 'is JSON Schema'
        : `has "${wrong}", which is no type of zod 4`;
    throw refuse(
      toolName,
      `${what}: give a shape such as { city: z.string() }, or make the tool by buildTool, which takes inputJSONSchema`,
    );
  }
  return { inputSchema: z.strictObject(given) };
}

/** Recognises types of any copy of zod, and of zod mini. */
function isZodType(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** Accepts every object, for a tool whose server checks the input. */
export const anyObject = z.record(z.string(), z.unknown()) as unknown as InputSchema;

/** What a handler gets for such an input. */
export type InputOf<Given> =
  Given extends StandardSchema<infer Output>
    ? Output
    : Given extends z.ZodRawShape
      ? z.output<z.ZodObject<Given>>
      : never;

/** The fields of an object, each with its schema. */
export type InputShape = z.ZodRawShape;

function toZod<Output>({ '~standard': standard }: StandardSchema<Output>): z.ZodType<Output> {
  return z.unknown().transform((value, context): Output => {
    const result = standard.validate(value);
    if (result instanceof Promise) {
      throw new TypeError(`a schema of ${standard.vendor} must check without waiting`);
    }
    if (!result.issues) return result.value;
    for (const { message, path = [] } of result.issues) {
      // Copies to a plain array: ArkType's paths are instances of a subclass, which `map` would keep.
      const keys = Array.from(path, (part) => (typeof part === 'object' ? part.key : part));
      context.addIssue({ code: 'custom', message, path: keys });
    }
    return z.NEVER;
  });
}

function writeJson(toolName: string, schema: StandardSchema): Record<string, unknown> {
  const { jsonSchema, vendor } = schema['~standard'];
  if (!jsonSchema) {
    throw refuse(
      toolName,
      `can be checked by ${vendor}, but not written as JSON Schema: it has no ~standard.jsonSchema. Take a version of ${vendor} that has, its adapter, or give the JSON Schema beside it`,
    );
  }
  try {
    // The API accepts this version, which zod also writes.
    const { $schema: _, ...json } = jsonSchema.input({ target: 'draft-2020-12' });
    return json;
  } catch (cause) {
    throw refuse(
      toolName,
      `can't be written as JSON Schema by ${vendor} (${String(cause)})`,
      cause,
    );
  }
}

function checkObject(toolName: string, json: Record<string, unknown>): InputJsonSchema {
  if (json['type'] === 'object') return { ...json, type: 'object' };
  throw refuse(toolName, 'must describe one object: the API takes nothing else');
}

function refuse(toolName: string, why: string, cause?: unknown): SdkError {
  return new SdkError('invalid-input', `The input schema of ${toolName} ${why}.`, {
    data: { toolName },
    cause,
  });
}
