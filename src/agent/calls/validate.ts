// Station 3: is the call valid? run-call.ts calls it for each tool use. A call that fails here never
// reaches a permission question: the model gets a result that says what is wrong.
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

/** The tools that make a call; none where the model does. See permissions/principal.ts. */
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
  /** The parsed input: what is asked about, run and shown. */
  readonly input: Record<string, unknown>;
  readonly traits: CallTraits;
  /** Where servers in the tool's own sandbox listen. */
  readonly ownPorts?: readonly number[];
  /** What PreToolUse hooks think of this input; permissions/decide.ts weighs it. */
  readonly opinion?: { readonly behavior: 'allow' | 'ask'; readonly message: string };
  /** A host's answer is in the input: it may hold more than the model may say. */
  readonly isAnswer?: true;
  /** The tool itself has replaced the input. It may do so once. */
  readonly isToolsInput?: true;
}

/** Finds the tool in the request's pool, loads its definition and parses the input. Never rejects. */
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
 * The checks that a replaced input must pass as well: a hook, a person's answer or the tool itself may replace
 * it. `isAnswer`: a host's answer is in it, which may have fields that the model may not fill. Never rejects.
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
    // The tool's own code failed: its author's mistake, but the call still needs its one result.
    return settleWithError(
      toolUse,
      `${tool.name} could not check its input: ${describeThrown(error)}. This is a fault of the tool; try another way.`,
    );
  }
}

// Without zod's compiled parsers: they need 'unsafe-eval', which a strict page refuses, and once
// bundled zod no longer notices that.
const jitless = { jitless: true } as const;

/** The schemas that may wait for something. Zod throws where such a schema is to answer at once. */
const waiting = new WeakSet<InputSchema>();

/** Undefined where the schema may wait. An error of its own comes again when it is awaited. */
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
 * Why the tool's own check refuses the input; undefined if it accepts it, or there is no check.
 *
 * @throws TypeError for a check that returns no verdict, as a tool without types may: only an explicit
 * "yes" accepts the input.
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
