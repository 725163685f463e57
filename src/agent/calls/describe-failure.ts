// What the model is told of a call that didn't work: what happened, and what to do now.
import type { ToolResultBlock } from '../../core/blocks.ts';
import { describeThrown, SdkError } from '../../core/errors.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { ToolResultContent } from '../../core/tool/tool.ts';
import type { DispatchOutcome } from './dispatch.ts';

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

/** The sentence for changes that were made in a draft, but couldn't be kept. */
export function describeCommitError(toolName: string, error: unknown): string {
  const kept = `Nothing that ${toolName} changed was kept.`;
  if (!SdkError.isInstance(error)) return `${kept} The workspace failed: ${String(error)}`;
  switch (error.code) {
    case 'ECONFLICT':
      return `${kept} ${listPaths(error) ?? 'A file'} was changed by someone else meanwhile. Read it again, then make the change on what is there now.`;
    case 'ENOSPC':
      return `${kept} The disk is full. Ask the user to free space, then try again.`;
    case 'EFENCED':
      return `${kept} Another tab has taken over this workspace. Try again; if it fails again, ask the user to reload this page.`;
    default:
      return `${kept} ${error.message}`;
  }
}

/** For a tool that failed to make a result of its output. */
export function describeBadResult(toolName: string, error: unknown): string {
  return `${toolName} could not present its result (${describeThrown(error)}), and nothing that it changed was kept. This is a fault of the tool; try another way.`;
}

/** For changes that nobody could judge. */
export function describeUnjudged(toolName: string, error: unknown): string {
  return `What ${toolName} changed could not be judged (${describeThrown(error)}), and nothing of it was kept. Try again; if it happens again, ask the user to reload the page.`;
}

/** For a change set that removes a directory with all below it by one change. */
export function describeWholesale(toolName: string, path: string): string {
  return `${toolName} was not allowed to remove ${path} with all that is in it by one change: each path must be named. Nothing that it changed was kept.`;
}

/** For a change set that has what the view had refused. */
export function describeForged(toolName: string, path: string): string {
  return `${toolName} was not allowed to change ${path}.`;
}

/** What was refused or failed, and below it what the call had returned by then. */
export function joinResults(refusal: ToolResultBlock, result: ToolResultBlock): ToolResultBlock {
  const parts = toParts(result.content);
  if (parts.length === 0) return refusal;
  const told = `${String(refusal.content)}\nThe call itself had run, and returned this:`;
  return { ...refusal, content: [{ type: 'text', text: told }, ...parts] };
}

function toParts(content: ToolResultBlock['content']): Exclude<ToolResultContent, string> {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

// An unforeseen error is told as such, so that the model doesn't take it for a fact about its input.
function describeError(toolName: string, error: SerializedError): string {
  return error.code === 'internal'
    ? `${toolName} failed unexpectedly: ${error.name}: ${error.message}`
    : error.message;
}

function listPaths(error: SdkError): string | undefined {
  const { paths } = error.data;
  if (!Array.isArray(paths) || paths.length === 0) return undefined;
  return paths.map(String).join(', ');
}
