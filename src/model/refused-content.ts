// Removes content that the server refuses, so that the request can be sent again without it. Used by
// anthropic-stream.ts.
//
// Thinking is bound to the conversation before it and to the account. The API refuses it after a
// compaction, after a change of the tools, or with another key. An image or a document may be one
// that it can't read.
import { hasCode } from '../core/errors.ts';
import { countMediaChars, withoutMedia } from '../core/messages/media.ts';
import type { MessageParam } from '../core/messages/messages.ts';

/** Content that one model's server refuses. Compared by identity: a conversation sends the same messages again. */
export interface RefusedContent {
  readonly thinking: WeakSet<MessageParam>;
  readonly media: WeakSet<MessageParam>;
}

export function createRefusedContent(): RefusedContent {
  return { thinking: new WeakSet(), media: new WeakSet() };
}

/** The API has no types for these errors, only messages. */
const refusedThinking =
  /\bsignature\b[^.]*\bthinking\b|\bthinking\.signature\b|\bbound to a different conversation\b|\bthinking\b.*\bcannot be modified\b/u;

const refusedMedia =
  /\bcould not process (?:image|pdf)\b|\bimage exceeds\b|\bmax allowed size: \d+ pixels|\bimage does not match\b|\bpdf specified (?:was not valid|is password)\b/iu;

/**
 * Records the content of a refused request that must be left out. All thinking is left out, because
 * the API accepts none after removed thinking. Images and documents are left out of the message in
 * the error, or otherwise of the newest one. False if the error has another reason, or nothing
 * remains to leave out.
 */
export function noteRefused(
  error: unknown,
  messages: readonly MessageParam[],
  { thinking, media }: RefusedContent,
): boolean {
  if (!hasCode(error, 'model-bad-request')) return false;
  const { message: said } = error;
  if (refusedThinking.test(said)) {
    const thoughtful = messages.filter((message) => hasThinking(message) && !thinking.has(message));
    for (const message of thoughtful) thinking.add(message);
    return thoughtful.length > 0;
  }
  if (!refusedMedia.test(said)) return false;
  const shown = messages.filter((message) => countMediaChars(message) > 0 && !media.has(message));
  const named = messages[Number(/\bmessages\.(\d+)\./u.exec(said)?.[1] ?? -1)];
  const culprit = named && shown.includes(named) ? named : shown.at(-1);
  if (culprit) media.add(culprit);
  return culprit !== undefined;
}

/**
 * `written` without the refused content of `messages`, which has its messages at the same indices.
 * A message of only thinking is removed. A text for the model replaces an image. Gives the same
 * array if nothing was refused.
 */
export function leaveOutRefused(
  written: readonly object[],
  messages: readonly MessageParam[],
  { thinking, media }: RefusedContent,
): readonly object[] {
  if (!messages.some((message) => thinking.has(message) || media.has(message))) return written;
  return written.flatMap((message, at) => {
    const source = messages[at];
    if (!source) return [message];
    if (media.has(source)) return [withoutMedia(message as MessageParam, describeRefused)];
    return thinking.has(source) ? withoutThinking(message as MessageParam) : [message];
  });
}

const describeRefused = (type: string) =>
  `(Here was: ${type}. The server of the model can't read it, so it isn't shown.)`;

function withoutThinking(message: MessageParam): object[] {
  const { content } = message as { readonly content: readonly { readonly type: string }[] };
  const said = content.filter((block) => !isThinking(block));
  return said.length > 0 ? [{ ...message, content: said }] : [];
}

function hasThinking({ role, content }: MessageParam): boolean {
  return role === 'assistant' && typeof content !== 'string' && content.some(isThinking);
}

function isThinking({ type }: { readonly type: string }): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
