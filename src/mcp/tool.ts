// `tool()` as the Claude Agent SDK spells it: one tool of an in-process server.
import { SdkError } from '../core/errors.ts';
import { toInputParts } from '../core/schema/standard-schema.ts';
import type { InputOf, InputShape, StandardSchema } from '../core/schema/standard-schema.ts';
import type { CallToolResult } from './call-tool-result.ts';

/**
 * The protocol's hints. In process they are the host's own words. A hint that is left out counts as
 * the worst.
 */
export interface ToolAnnotations {
  /** The name for people. */
  readonly title?: string;
  /** The tool changes nothing; its calls may then run beside others. */
  readonly readOnlyHint?: boolean;
  /**
   * The tool's changes can't be undone. Counts only if it is given: otherwise every unannotated
   * tool would be one.
   */
  readonly destructiveHint?: boolean;
  /** The tool reaches the network. Left out: it does, so its results count as text from outside. */
  readonly openWorldHint?: boolean;
  /** The protocol's hint. Nothing here uses it. */
  readonly idempotentHint?: boolean;
}

/** What a handler gets beside its input. */
export interface ToolHandlerExtra {
  /** Aborted when the call is cut. The handler must settle then. */
  readonly signal: AbortSignal;
  /** The `tool_use` id. */
  readonly requestId: string;
}

/** The options of a tool. */
export interface ToolExtras {
  readonly annotations?: ToolAnnotations;
  /** 3 to 10 words that ToolSearch matches. */
  readonly searchHint?: string;
  /** Never deferred. */
  readonly alwaysLoad?: boolean;
}

/** A tool before it has a server. */
export interface SdkMcpToolDefinition<
  Given extends InputShape | StandardSchema<Record<string, unknown>> =
    InputShape | StandardSchema<Record<string, unknown>>,
> extends ToolExtras {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Given;
  // As a method, so that definitions of different inputs go into one list.
  handler(args: InputOf<Given>, extra: ToolHandlerExtra): Promise<CallToolResult>;
}

/**
 * Defines a tool for `createSdkMcpServer`. `inputSchema` is a shape of zod types, `{ city: z.string() }`,
 * a zod object, or another library's Standard Schema that can be written as JSON Schema. A handler that
 * throws fails its call with the error's message.
 *
 * @throws SdkError `bad-usage` for a tool without a name, a text, an input or a handler, `invalid-input` for an input
 * that is neither of these.
 * @example
 * const add = tool('add', 'Adds two numbers.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: 'text', text: String(a + b) }],
 * }));
 */
export function tool<const Given extends InputShape | StandardSchema<Record<string, unknown>>>(
  name: string,
  description: string,
  inputSchema: Given,
  handler: SdkMcpToolDefinition<Given>['handler'],
  extras: ToolExtras = {},
): SdkMcpToolDefinition<Given> {
  const isShape = typeof inputSchema === 'object' || typeof inputSchema === 'function';
  const missing = [
    (typeof name !== 'string' || name === '') && 'a name',
    typeof description !== 'string' && 'a description',
    (!isShape || inputSchema === null) && 'a shape of its input',
    typeof handler !== 'function' && 'a handler',
  ].find((what) => what !== false);
  if (missing !== undefined) {
    throw new SdkError(
      'bad-usage',
      `${name ? `The tool ${String(name)}` : 'A tool'} needs ${missing}.`,
    );
  }
  // Called only for its check. The server makes the parts of each tool under its own name.
  toInputParts(name, inputSchema);
  return { name, description, inputSchema, handler, ...extras };
}
