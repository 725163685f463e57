// Thinking that the server takes back no more. It is bound to all that stood before it when it was written, and to
// the account: after a compaction, a change of the tools or with another key the API refuses the request. Used by
// anthropic-stream.ts.
import { SdkError } from '../core/errors.ts';
import type { MessageParam } from '../core/messages/messages.ts';

/** What one model's server has refused: by identity, as a conversation sends the same messages again. */
export type RefusedThinking = WeakSet<MessageParam>;

/** The API has no type of its own for it, only sentences. */
const refusal =
  /\bsignature\b[^.]*\bthinking\b|\bthinking\.signature\b|\bbound to a different conversation\b|\bthinking\b.*\bcannot be modified\b/u;

/**
 * Notes what the refused request has of thinking. All of it: the API takes none that stands behind thinking which
 * was left out. False where the error says something else, or nothing is left to leave out.
 */
export function noteRefused(
  error: unknown,
  messages: readonly MessageParam[],
  refused: RefusedThinking,
): boolean {
  if (!SdkError.isInstance(error) || error.code !== 'model-bad-request') return false;
  if (!refusal.test(error.message)) return false;
  const thoughtful = messages.filter((message) => hasThinking(message) && !refused.has(message));
  for (const message of thoughtful) refused.add(message);
  return thoughtful.length > 0;
}

/**
 * `written` without the refused thinking of `messages`, whose messages it has in the same places. What was only
 * thought leaves with its message. The array itself where nothing was refused.
 */
export function leaveOutRefused(
  written: readonly object[],
  messages: readonly MessageParam[],
  refused: RefusedThinking,
): readonly object[] {
  if (!messages.some((message) => refused.has(message))) return written;
  return written.flatMap((message, at) => {
    const source = messages[at];
    if (!source || !refused.has(source)) return [message];
    const { content } = message as { readonly content: readonly { readonly type: string }[] };
    const said = content.filter((block) => !isThinking(block));
    return said.length > 0 ? [{ ...message, content: said }] : [];
  });
}

function hasThinking({ role, content }: MessageParam): boolean {
  return role === 'assistant' && typeof content !== 'string' && content.some(isThinking);
}

function isThinking({ type }: { readonly type: string }): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
