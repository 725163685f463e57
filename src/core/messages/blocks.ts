// Content blocks of the Messages API, in both directions. Unknown block types pass through
// unchanged, so a new API feature breaks nothing. A type test proves that these fit the Anthropic
// SDK's.

/** Words. The API refuses an empty text. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** The model's thinking. `signature` is the server's: the API refuses a changed block. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

/** Thinking that only the server can read; sent back as it came. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

/** The model asks for a tool. `input` is untrusted until `agent/calls/validate.ts` has parsed it. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The kinds of image that the API takes. */
export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** A picture. The built-in tools give `base64` only, so no result makes a server load an address. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: ImageMediaType; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

/** In a search's result: the tool of this name is loaded, its definition standing in the request. */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}

/** The answer to exactly one {@link ToolUseBlock}. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | ImageBlock | ToolReferenceBlock)[];
  readonly is_error?: boolean;
}

/** A block of a type that this version doesn't know: kept and sent back as it came. */
export interface OpaqueBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What an assistant message is made of. */
export type ContentBlock =
  TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | OpaqueBlock;

/** What a user message is made of. */
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock | OpaqueBlock;

// Predicates, because OpaqueBlock's type is any string: comparing `type` narrows nothing.

/** Is the block text? Then it has `text`. */
export function isTextBlock(block: { readonly type: string }): block is TextBlock {
  return block.type === 'text';
}

/** It has a source of some kind. */
export function isImageBlock(block: { readonly type: string }): block is ImageBlock {
  const { source } = block as { readonly source?: unknown };
  return block.type === 'image' && typeof source === 'object' && source !== null;
}

/** Is the block the model's thinking? Its text may be empty. */
export function isThinkingBlock(block: { readonly type: string }): block is ThinkingBlock {
  return block.type === 'thinking';
}

/** Is the block a call? Then it has the tool's name and input. */
export function isToolUseBlock(block: { readonly type: string }): block is ToolUseBlock {
  return block.type === 'tool_use';
}

/** Is the block the result of a call, which it names by `tool_use_id`? */
export function isToolResultBlock(block: { readonly type: string }): block is ToolResultBlock {
  return block.type === 'tool_result';
}

export function isToolReferenceBlock(block: {
  readonly type: string;
}): block is ToolReferenceBlock {
  return block.type === 'tool_reference';
}

/**
 * A tool's mapped output, as it may be sent: paired with its call, whatever the tool wrote into it. One that tells of a
 * failure has text, and nothing else.
 * @throws TypeError for content that the API doesn't take. A tool without types may return any, and
 * each later request would fail by it.
 */
export function toSentResult(block: ToolResultBlock, toolUseId: string): ToolResultBlock {
  const { content, is_error } = block;
  const isText = content === undefined || typeof content === 'string';
  const isList = Array.isArray(content) && content.every(isResultPart);
  if (typeof block !== 'object' || !(isText || isList)) {
    throw new TypeError('its content is neither text nor a list of blocks');
  }
  // Content that can't be written as JSON is refused here; else each later request would fail.
  if (!isText) JSON.stringify(content);
  // The API refuses an empty text, and nothing is lost without it.
  const sent = isText ? content : content.filter((part) => !isEmptyText(part));
  const paired = { type: 'tool_result', tool_use_id: toolUseId } as const;
  if (is_error === true) return { ...paired, content: toFailureContent(sent), is_error };
  return { ...paired, ...(sent !== undefined && { content: sent }) };
}

/**
 * What the API takes as the content of a result that `is_error`: text that isn't empty. For each other part the text
 * says that it is left out.
 */
export function toFailureContent(
  content: ToolResultBlock['content'] = [],
): string | readonly TextBlock[] {
  if (typeof content === 'string') return content.trim() === '' ? saysNothing : content;
  if (content.length === 0) return saysNothing;
  return content.map((part) =>
    isTextBlock(part)
      ? part
      : {
          type: 'text',
          text: `(Left out: ${part.type}. The result of a failed call is text alone.)`,
        },
  );
}

const saysNothing = '(The call failed, and gave no reason.)';

/** The API refuses one that has no more than spaces, too. */
export function isEmptyText(block: { readonly type: string }): boolean {
  return isTextBlock(block) && block.text.trim() === '';
}

function isResultPart(part: unknown): boolean {
  const { type, text, source, tool_name } = (part ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'text') return typeof text === 'string';
  if (type === 'image') return typeof source === 'object' && source !== null;
  return typeof (type === 'tool_reference' ? tool_name : type) === 'string';
}

/** The text of a message: of its text blocks, with `separator` between them. */
export function textOf(
  content: string | readonly { readonly type: string }[],
  separator: string,
): string {
  if (typeof content === 'string') return content;
  const texts = content.filter(isTextBlock);
  return texts.map(({ text }) => text).join(separator);
}

/** A result's words without its images: what is measured, spilled and searched. */
export function toResultText({ content = '' }: Pick<ToolResultBlock, 'content'>): string {
  return textOf(content, '\n');
}
