// If a server restarts its reply, the calls of the first attempt are void. What they had done by then stays,
// and both the model and the viewer are told so. Used by run-call.ts and turn/record-step.ts.
import { isToolUseBlock, toResultText } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { Settled } from '../calls/settled.ts';

/**
 * May something of the call stay, though its result goes nowhere? A draft is kept or dropped whole.
 * But what reached outside, ran on the page, or changed what a tool keeps for the session can't be
 * taken back.
 */
export function mayHaveActed(call: AllowedCall, { kept = [], state }: Settled): boolean {
  if (kept.length > 0) return true;
  const { tool, traits, network } = call;
  if (traits.isReadOnly) return false;
  const isBeyondDraft = tool.call !== undefined || traits.isOpenWorld || network !== undefined;
  return isBeyondDraft || state === 'output-available';
}

/** The void message as a viewer needs it: the calls that stay, and nothing else that it said. */
export function toStayingMessage(
  message: AssistantMessage,
  staying: readonly Settled[],
): AssistantMessage {
  const ids = new Set(staying.map(({ toolUse }) => toolUse.id));
  const content = message.content.filter((block) => isToolUseBlock(block) && ids.has(block.id));
  return { ...message, content };
}

/** Describes it for the model: the new attempt knows nothing of it. */
export function describeForModel(staying: readonly Settled[]): string {
  const calls = staying.map((settled) => {
    const result = clipText(toResultText(settled.result), maxResultChars);
    return `- ${describeCall(settled)}. Its result: ${result}`;
  });
  return `A reply of yours broke off and was begun anew. It is void, but these calls of it had begun, and what they did stays:\n${calls.join('\n')}\nDon't do it again: look at how things stand, and go on from there.`;
}

/** Describes it for the person who watches. */
export function describeForViewer(staying: readonly Settled[]): string {
  return `The model's reply broke off and was begun anew. What these calls of it had done stays: ${staying.map(describeCall).join('; ')}.`;
}

// 300 characters: a task's id or what went wrong stands at the beginning.
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

/** 20 more beside the first one: a longer list would flood the conversation. */
const maxPaths = 20;

const verbs = { write: 'wrote', mkdir: 'made', symlink: 'linked', remove: 'removed' } as const;
