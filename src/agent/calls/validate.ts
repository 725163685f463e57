// Stage 3 validates each tool use. Called by run-call.ts. An invalid call never leads to a
// permission question: the model gets a result with the reason.
import type { ToolUseContext } from '../../core/tool/context.ts';
import { describeThrown, toSerializedError } from '../../core/errors.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { InputSchema, Tool, ValidationResult } from '../../core/tool/tool.ts';
import { classifyCall } from './classify-call.ts';
import type { CallTraits } from './classify-call.ts';
import { buildSchemaNotSentHint, describeIssues, describeUnknown } from './describe-failure.ts';
import type { ToolUse } from '../messages/collect.ts';
import { settleWithError } from './settled.ts';
import type { Settled } from './settled.ts';

/** The tools that make a call; none if the model makes it. See permissions/principal.ts. */
export interface CallingTools {
  /** The tool whose code makes the call. */
  readonly caller?: Tool;
  /** The tool whose own `call` asks for it. */
  readonly requester?: Tool;
}

/** Picks only these two fields, for a call that is validated again. */
export function pickCallingTools({ caller, requester }: CallingTools): CallingTools {
  return { ...(caller && { caller }), ...(requester && { requester }) };
}

/** A call of a known tool whose input the tool's schema and its own checks have accepted. */
export interface ValidCall extends CallingTools {
  readonly stage: 'valid';
  readonly toolUse: ToolUse;
  readonly tool: Tool;
  /** The parsed input, which is shown in questions and run. */
  readonly input: Record<string, unknown>;
  readonly traits: CallTraits;
  /** Where servers in the tool's own sandbox listen. */
  readonly ownPorts?: readonly number[];
  /** What PreToolUse hooks think of this input; permissions/decide.ts weighs it. */
  readonly opinion?: { readonly behavior: 'allow' | 'ask'; readonly message: string };
  /** The input contains a host's answer, which may have fields that the model may not set. */
  readonly isAnswer?: true;
  /** The tool itself has replaced the input, which it may do once. */
  readonly isToolsInput?: true;
}

/**
 * Finds the tool among the request's tools, loads its definition and parses the input. Never
 * rejects.
 */
export async function validate(
  toolUse: ToolUse,
  context: ToolUseContext,
): Promise<ValidCall | Settled> {
  const { tools } = context.options;
  const known = findToolByName(tools, toolUse.name);
  if (!known) {
    return settleWithError(toolUse, describeUnknown(toolUse.name, tools));
  }
  if (toolUse.inputError !== undefined) {
    return settleWithError(toolUse, `${toolUse.inputError}\nCall ${known.name} again.`);
  }
  let tool: Tool;
  try {
    // The model may call a deferred tool of which it knows only the name.
    tool = isListedTool(known) ? await known.load() : known;
  } catch (error) {
    return settleWithError(toolUse, toSerializedError(error).message);
  }
  return validateInput(toolUse, tool, toolUse.input, context);
}

/**
 * The checks that a replaced input must pass too. A hook, a person's answer or the tool itself may
 * replace it. `isAnswer`: it contains a host's answer, which may have fields that the model may not
 * set. Never rejects.
 */
export async function validateInput(
  toolUse: ToolUse,
  tool: Tool,
  input: unknown,
  context: ToolUseContext,
  isAnswer = false,
): Promise<ValidCall | Settled> {
  try {
    const schema = (isAnswer && tool.answerSchema) || tool.inputSchema;
    const parsed = parseAtOnce(schema, input) ?? (await schema.safeParseAsync(input, jitless));
    if (!parsed.success) {
      const issues = describeIssues(tool, parsed.error.issues);
      const hint = context.toolCatalog.isUnloaded(tool.name) ? buildSchemaNotSentHint(tool) : '';
      return settleWithError(toolUse, issues + hint);
    }
    const refusal = await checkValues(tool, parsed.data, context);
    if (refusal !== undefined) return settleWithError(toolUse, refusal);
    const traits = classifyCall(tool, parsed.data);
    const ownPorts = context.listOwnPorts?.(tool.name) ?? [];
    return {
      stage: 'valid',
      toolUse,
      tool,
      input: parsed.data,
      traits,
      ...(ownPorts.length > 0 && { ownPorts }),
      ...(isAnswer && { isAnswer: true as const }),
    };
  } catch (error) {
    // The tool's own code has thrown: a bug of its author, but the call still needs its one result.
    return settleWithError(
      toolUse,
      `${tool.name} could not check its input: ${describeThrown(error)}. This is a fault of the tool; try another way.`,
    );
  }
}

// Without zod's compiled parsers, which need 'unsafe-eval'. A strict CSP forbids that, and a
// bundled zod doesn't detect it.
const jitless = { jitless: true } as const;

/** The schemas with asynchronous checks. Zod throws if such a schema is used synchronously. */
const waiting = new WeakSet<InputSchema>();

/**
 * Returns undefined if the schema may be asynchronous. Its own errors are thrown again when it is
 * awaited.
 */
function parseAtOnce(schema: InputSchema, input: unknown) {
  if (waiting.has(schema)) return undefined;
  try {
    return schema.safeParse(input, jitless);
  } catch {
    waiting.add(schema);
    return undefined;
  }
}

/**
 * Returns why the tool's own check rejects the input; undefined if it accepts it, or there is no
 * check.
 *
 * @throws TypeError if the check returns no verdict, as an untyped tool may: only an explicit
 * acceptance counts
 */
async function checkValues(
  tool: Tool,
  input: Record<string, unknown>,
  context: ToolUseContext,
): Promise<string | undefined> {
  if (!tool.validateInput) return undefined;
  const verdict: ValidationResult | undefined = await tool.validateInput(input, context);
  if (verdict?.result === true) return undefined;
  if (verdict?.result !== false) throw new TypeError('its check gave no verdict');
  return `${verdict.message} (error ${verdict.errorCode})`;
}
