// The messages of failed calls: what happened, and what the model should do.
import { toFailureContent } from '../../core/messages/blocks.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { describeThrown, SdkError } from '../../core/errors.ts';
import type { SerializedError } from '../../core/errors.ts';
import { findNearNames } from '../../core/text/near-names.ts';
import type { Tool, ToolResultContent } from '../../core/tool/tool.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';

/** For a tool name that isn't in the request. */
export function describeUnknown(unknown: string, tools: readonly Pick<Tool, 'name'>[]): string {
  const names = tools.map((tool) => tool.name);
  const near = findNearNames(unknown, names);
  const name = clipText(unknown, 100);
  return near.length > 0
    ? `There is no tool named ${name}. Did you mean ${near.join(' or ')}?`
    : `There is no tool named ${name}. The tools are: ${names.join(', ') || 'none'}.`;
}

/** For a call of a tool whose definition the model hasn't seen, so its input is a guess. */
export function buildSchemaNotSentHint({ name }: Pick<Tool, 'name'>): string {
  return `\n${name} isn't loaded, so what it takes was never shown to you. Call ToolSearch with the query "select:${name}" first, then call ${name} again.`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Lists each invalid path of the input, with the reason. */
export function describeIssues(tool: Tool, issues: readonly Issue[]): string {
  const list = listIssues(issues, 'input');
  return `The input of ${tool.name} isn't valid:\n${list}\nCorrect it and call ${tool.name} again.`;
}

/** One line per invalid place. `whole`: what the places are in. */
export function listIssues(issues: readonly Issue[], whole: 'input' | 'output'): string {
  // 20: enough to correct a call. Thousands of invalid items must not fill the context.
  const shown = issues.slice(0, 20).map((issue) => {
    const path = issue.path.map(String).join('.');
    return `- ${path || `(the whole ${whole})`}: ${issue.message}`;
  });
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`- and ${more} more`);
  return shown.join('\n');
}

/** The sentence for a call that failed, took too long, or lost its worker. */
export function describeFailure(
  toolName: string,
  outcome: Extract<DispatchOutcome, { type: 'failed' | 'timed-out' | 'not-begun' | 'lost' }>,
): string {
  switch (outcome.type) {
    case 'failed':
      return describeError(toolName, outcome.error);
    case 'timed-out':
      return `${toolName} was stopped after ${outcome.timeoutMs} ms; nothing that it did was kept. Do less in one call, or allow more time where the input can say so.`;
    case 'not-begun':
      return `${toolName} had not begun after ${outcome.waitedMs} ms, and was stopped: what it needs to run could not be loaded in time. Try again; if it happens again, ask the user to check the network and to reload the page.`;
    case 'lost':
      return `${toolName} ended before it answered (${outcome.message}); nothing that it did was kept. Try again with less at once; if it happens again, try another way.`;
  }
}

/** The message for changes that were made in a draft but couldn't be committed. */
export function describeCommitError(toolName: string, error: unknown): string {
  const kept = `Nothing that ${toolName} changed was kept.`;
  if (!SdkError.isInstance(error)) return `${kept} The workspace failed: ${describeThrown(error)}`;
  switch (error.code) {
    case 'ECONFLICT':
      return `${kept} ${listMoved(error) ?? 'A file'} was changed by someone else meanwhile. Read it again, then make the change on what is there now.`;
    case 'ENOSPC':
      return `${kept} The disk is full. Ask the user to free space, then try again.`;
    case 'EFENCED':
      if (error.data['stream'] !== undefined) return `${kept} ${error.message}`;
      return `${kept} Another tab has taken over this workspace. Try again; if it fails again, ask the user to reload this page.`;
    default:
      return `${kept} ${error.message}`;
  }
}

/** For a tool that failed to convert its output to a result. */
export function describeBadResult(toolName: string, error: unknown): string {
  return `${toolName} could not present its result (${describeThrown(error)}), and nothing that it changed was kept. This is a fault of the tool; try another way.`;
}

/** For changes that couldn't be judged. */
export function describeUnjudged(toolName: string, error: unknown): string {
  return `What ${toolName} changed could not be judged (${describeThrown(error)}), and nothing of it was kept. Try again; if it happens again, ask the user to reload the page.`;
}

/** For a change set that removes a directory and its contents by one change. */
export function describeWholesale(toolName: string, path: string): string {
  return `${toolName} was not allowed to remove ${path} with all that is in it by one change: each path must be named. Nothing that it changed was kept.`;
}

/** For a change set with changes that the view had refused. */
export function describeForged(toolName: string, path: string): string {
  return `${toolName} was not allowed to change ${path}.`;
}

/** Joins a refusal or failure with the result of the call so far. */
export function joinResults(refusal: ToolResultBlock, result: ToolResultBlock): ToolResultBlock {
  const parts = toParts(result.content);
  if (parts.length === 0) return refusal;
  const told = `${String(refusal.content)}\nThe call itself had run, and returned this:`;
  return { ...refusal, content: toFailureContent([{ type: 'text', text: told }, ...parts]) };
}

function toParts(content: ToolResultBlock['content']): Exclude<ToolResultContent, string> {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

// An unexpected error is marked as such, so that the model doesn't attribute it to its input.
function describeError(toolName: string, error: SerializedError): string {
  return error.code === 'internal'
    ? `${toolName} failed unexpectedly: ${error.name}: ${error.message}`
    : error.message;
}

// 20: a commit may conflict in many paths; the model needs to know only where to begin.
const maxPathsTold = 20;

/** The names of git refs come first, because other conflicts follow from them. */
function listMoved({ data }: SdkError): string | undefined {
  const refs = Array.isArray(data['refs']) ? data['refs'].map((ref) => `git's ${String(ref)}`) : [];
  const paths = Array.isArray(data['paths']) ? data['paths'].map(String) : [];
  const all = [...refs, ...paths];
  if (all.length === 0) return undefined;
  const more = all.length - maxPathsTold;
  return all.slice(0, maxPathsTold).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Returns the message for the model if the output doesn't match the tool's schema; otherwise
 * undefined. Never changes the output, which must be the same as in production, where this check
 * doesn't run. Never rejects.
 */
export async function findOutputMistake(tool: Tool, output: unknown): Promise<string | undefined> {
  try {
    // Interpreted, as in validate.ts: zod's compiled parsers need what a strict CSP forbids.
    const parsed = await tool.outputSchema?.safeParseAsync(output, { jitless: true });
    if (!parsed || parsed.success) return undefined;
    return blame(
      tool,
      `isn't what its outputSchema says:\n${listIssues(parsed.error.issues, 'output')}\n`,
    );
  } catch (error) {
    return blame(tool, `could not be checked by its outputSchema (${describeThrown(error)}). `);
  }
}

function blame({ name }: Tool, what: string): string {
  return `The output of ${name} ${what}Nothing that it changed was kept. This is a mistake of the tool's author, not of the call, and only development builds look for it; try another way.`;
}
