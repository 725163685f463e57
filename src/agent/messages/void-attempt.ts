// If a server restarts its reply, the calls of the first attempt are void. Their completed work
// stays, and both the model and the viewers are informed. Used by run-call.ts and
// turn/record-step.ts.
import { isToolUseBlock, toResultText } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { Settled } from '../calls/settled.ts';

/**
 * True if effects of the call may remain, though its result isn't used. A draft is kept or dropped
 * as a whole. But effects outside, on the page or on a tool's session state can't be undone.
 */
export function mayHaveActed(call: AllowedCall, { kept = [], state }: Settled): boolean {
  if (kept.length > 0) return true;
  const { tool, traits, network } = call;
  if (traits.isReadOnly) return false;
  const isBeyondDraft = tool.call !== undefined || traits.isOpenWorld || network !== undefined;
  return isBeyondDraft || state === 'output-available';
}

/** The void message for viewers, with only the calls that stay. */
export function toStayingMessage(
  message: AssistantMessage,
  staying: readonly Settled[],
): AssistantMessage {
  const ids = new Set(staying.map(({ toolUse }) => toolUse.id));
  const content = message.content.filter((block) => isToolUseBlock(block) && ids.has(block.id));
  return { ...message, content };
}

/** The description for the model, because the new attempt doesn't include it. */
export function describeForModel(staying: readonly Settled[]): string {
  const calls = staying.map((settled) => {
    const result = clipText(toResultText(settled.result), maxResultChars);
    return `- ${describeCall(settled)}. Its result: ${result}`;
  });
  return `A reply of yours broke off and was begun anew. It is void, but these calls of it had begun, and what they did stays:\n${calls.join('\n')}\nDon't do it again: look at how things stand, and go on from there.`;
}

/** The description for viewers. */
export function describeForViewer(staying: readonly Settled[]): string {
  return `The model's reply broke off and was begun anew. What these calls of it had done stays: ${staying.map(describeCall).join('; ')}.`;
}

// 300 characters: a task's id or an error is at the beginning.
const maxResultChars = 300;

function describeCall({ toolUse, kept = [], state, isStopped }: Settled): string {
  const [first, ...more] = kept.map(({ type, path }) => `${verbs[type]} ${path}`);
  if (first !== undefined) {
    const others = more.length > maxPaths ? [`and ${more.length - maxPaths} more`] : [];
    return `${toolUse.name} (${[first, ...more.slice(0, maxPaths), ...others].join(', ')})`;
  }
  const failure = isStopped ? 'was cut while it ran' : 'failed';
  return `${toolUse.name} (${state === 'output-available' ? 'it ran' : `it ${failure}, and may have acted`})`;
}

/** 20 besides the first one: a longer list would fill the conversation. */
const maxPaths = 20;

const verbs = { write: 'wrote', mkdir: 'made', symlink: 'linked', remove: 'removed' } as const;
