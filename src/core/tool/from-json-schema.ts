// A caller's JSON Schema as one that checks. A file of its own, as few sessions fetch it; zod may be imported by no floor
// above core.
import * as z from 'zod';
import { describeThrown, SdkError } from '../errors.ts';
import type { InputSchema } from './tool.ts';

/**
 * @throws SdkError `bad-usage` for what is no schema of one object, or has keywords that zod can't check (`if`, `not` of
 * anything, references to elsewhere). `option`: how the caller knows it.
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
    // Its type is any schema's; that of an object is an object's.
    return z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0]) as InputSchema;
  } catch (cause) {
    throw new SdkError(
      'bad-usage',
      `${option} can't be checked (${describeThrown(cause)}). Say the same with other keywords of JSON Schema.`,
      { data: { option }, cause },
    );
  }
}
