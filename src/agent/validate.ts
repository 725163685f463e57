// Station 3: is this a call that can be understood? `loop.ts` calls it for each tool use. What
// fails here never reaches a permission question: the model gets a result that says what is wrong.
import { clipText } from '../core/clip-text.ts';
import type { ToolUseContext } from '../core/context.ts';
import { findToolByName } from '../core/tool.ts';
import type { Tool } from '../core/tool.ts';
import { classifyCall } from './classify-call.ts';
import type { CallTraits } from './classify-call.ts';
import type { ToolUse } from './collect.ts';
import { findNearNames } from './near-names.ts';
import { settleWithError } from './settled.ts';
import type { Settled } from './settled.ts';

/** A call of a known tool whose input the tool's schema and its own checks have accepted. */
export interface ValidCall {
  readonly stage: 'valid';
  readonly toolUse: ToolUse;
  readonly tool: Tool;
  /** As the schema parsed it: what is asked about, run and shown. */
  readonly input: Record<string, unknown>;
  readonly traits: CallTraits;
  /** The tool whose code makes the call; left out where the model makes it. */
  readonly caller?: Tool;
  /** What PreToolUse hooks think of this input; permissions/decide.ts weighs it. */
  readonly opinion?: { readonly behavior: 'allow' | 'ask'; readonly message: string };
}

/** Finds the tool in the request's pool and parses the input. Never rejects. */
export async function validate(
  toolUse: ToolUse,
  context: ToolUseContext,
): Promise<ValidCall | Settled> {
  const { tools } = context.options;
  const tool = findToolByName(tools, toolUse.name);
  if (!tool) return settleWithError(toolUse, describeUnknown(toolUse.name, tools));
  if (toolUse.inputError !== undefined) {
    return settleWithError(toolUse, `${toolUse.inputError}\nCall ${tool.name} again.`);
  }
  return validateInput(toolUse, tool, toolUse.input, context);
}

/**
 * The part that also a changed input has to pass: what a person's answer put in its place.
 * Never rejects.
 */
export async function validateInput(
  toolUse: ToolUse,
  tool: Tool,
  input: unknown,
  context: ToolUseContext,
): Promise<ValidCall | Settled> {
  try {
    // Without zod's compiled parsers: they need 'unsafe-eval', which a strict page refuses, and once
    // bundled zod no longer notices that.
    const parsed = tool.inputSchema.safeParse(input, { jitless: true });
    if (!parsed.success) {
      const issues = describeIssues(tool, parsed.error.issues);
      const hint = context.toolCatalog.isUnloaded(tool.name) ? buildSchemaNotSentHint(tool) : '';
      return settleWithError(toolUse, issues + hint);
    }
    const verdict = await tool.validateInput?.(parsed.data, context);
    if (verdict && !verdict.result) {
      const { message, errorCode } = verdict;
      return settleWithError(toolUse, `${message} (error ${errorCode})`);
    }
    const traits = classifyCall(tool, parsed.data);
    return { stage: 'valid', toolUse, tool, input: parsed.data, traits };
  } catch (error) {
    // The tool's own code failed: its author's mistake, but the call still needs its one result.
    return settleWithError(
      toolUse,
      `${tool.name} could not check its input: ${String(error)}. This is a fault of the tool; try another way.`,
    );
  }
}

function describeUnknown(unknown: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const near = findNearNames(unknown, names);
  const name = clipText(unknown, 100);
  return near.length > 0
    ? `There is no tool named ${name}. Did you mean ${near.join(' or ')}?`
    : `There is no tool named ${name}. The tools are: ${names.join(', ') || 'none'}.`;
}

/** For a call of a tool whose definition the model hasn't seen: it could only guess the input. */
function buildSchemaNotSentHint({ name }: Pick<Tool, 'name'>): string {
  return `\n${name} isn't loaded, so what it takes was never shown to you. Call ToolSearch with the query "select:${name}" first, then call ${name} again.`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describeIssues(tool: Tool, issues: readonly Issue[]): string {
  // 20: enough to mend a call by; an input of thousands of wrong items must not fill the context.
  const shown = issues.slice(0, 20).map((issue) => {
    const path = issue.path.map(String).join('.');
    return `- ${path || '(the whole input)'}: ${issue.message}`;
  });
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`- and ${more} more`);
  return `The input of ${tool.name} isn't valid:\n${shown.join('\n')}\nCorrect it and call ${tool.name} again.`;
}
