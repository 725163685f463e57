// `tool()` as in the Claude Agent SDK: one tool of an in-process server.
import { SdkError } from '../core/errors.ts';
import { toInputParts } from '../core/schema/standard-schema.ts';
import type { InputOf, InputShape, StandardSchema } from '../core/schema/standard-schema.ts';
import type { CallToolResult } from './call-tool-result.ts';

/**
 * The protocol's hints. In process they come from the host, so they are trusted. A missing hint
 * counts as the strictest value.
 */
export interface ToolAnnotations {
  /** The name for people. */
  readonly title?: string;
  /** The tool changes nothing, so its calls may run in parallel. */
  readonly readOnlyHint?: boolean;
  /**
   * The tool's changes can't be undone. Counts only if it is given; otherwise every tool without
   * hints would be destructive.
   */
  readonly destructiveHint?: boolean;
  /** The tool uses the network. @defaultValue true: its results count as text from outside */
  readonly openWorldHint?: boolean;
  /** Part of the protocol; not used here. */
  readonly idempotentHint?: boolean;
}

/** The second argument of a handler. */
export interface ToolHandlerExtra {
  /** Aborted when the call is aborted. Then the handler must settle. */
  readonly signal: AbortSignal;
  /** The `tool_use` id. */
  readonly requestId: string;
}

/** The options of a tool. */
export interface ToolExtras {
  readonly annotations?: ToolAnnotations;
  /** 3 to 10 words for ToolSearch. */
  readonly searchHint?: string;
  /** True: the tool is never deferred. */
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
  // A method, so that definitions with different inputs fit into one array.
  handler(args: InputOf<Given>, extra: ToolHandlerExtra): Promise<CallToolResult>;
}

/**
 * Defines a tool for `createSdkMcpServer`. `inputSchema` has one of three forms: a shape of zod types such as
 * `{ city: z.string() }`, a zod object, or another library's Standard Schema that can be converted to JSON Schema. If
 * the handler throws, the call fails with the error's message.
 *
 * @throws SdkError `bad-usage` for a tool without a name, a description, an input schema or a handler;
 * `invalid-input` for an input schema of any other form
 * @example
 * ```ts
 * const add = tool('add', 'Adds two numbers.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: 'text', text: String(a + b) }],
 * }));
 * ```
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
