// Content blocks of the Messages API, in both directions. Unknown block types pass through
// unchanged, so a new API feature breaks nothing. A type test proves that these fit the Anthropic
// SDK's.

/** A text. The API refuses an empty one. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** The model's thinking. The server signs the block (`signature`), and the API refuses a changed block. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

/** Thinking that only the server can read. It is sent back unchanged. */
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

/** The image types that the API accepts. */
export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** An image. The built-in tools give only `base64`, so no result makes the server load an address. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: ImageMediaType; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

/** In the result of ToolSearch: the tool of this name is loaded, and its definition is in the request. */
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

/** A block of a type that this version doesn't know. It is kept and sent back unchanged. */
export interface OpaqueBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A block of an assistant message. */
export type ContentBlock =
  TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | OpaqueBlock;

/** A block of a user message. */
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock | OpaqueBlock;

// These are predicates, because OpaqueBlock's `type` is any string: TypeScript can't narrow by comparing `type`.

/** True if the block is text. Then it has `text`. */
export function isTextBlock(block: { readonly type: string }): block is TextBlock {
  return block.type === 'text';
}

/** True if the block is an image with a source. */
export function isImageBlock(block: { readonly type: string }): block is ImageBlock {
  const { source } = block as { readonly source?: unknown };
  return block.type === 'image' && typeof source === 'object' && source !== null;
}

/** True if the block is the model's thinking. Its text may be empty. */
export function isThinkingBlock(block: { readonly type: string }): block is ThinkingBlock {
  return block.type === 'thinking';
}

/** True if the block is a call. Then it has the tool's name and input. */
export function isToolUseBlock(block: { readonly type: string }): block is ToolUseBlock {
  return block.type === 'tool_use';
}

/** True if the block is the result of a call, which it names by `tool_use_id`. */
export function isToolResultBlock(block: { readonly type: string }): block is ToolResultBlock {
  return block.type === 'tool_result';
}

export function isToolReferenceBlock(block: {
  readonly type: string;
}): block is ToolReferenceBlock {
  return block.type === 'tool_reference';
}

/**
 * A tool's mapped output in the form in which it may be sent. Its call's id is set, whatever id the tool has written.
 * A result that is an error has only text.
 * @throws TypeError for content that the API doesn't accept. A tool in plain JavaScript may return any content, and
 * each later request of the session would fail because of it.
 */
export function toSentResult(block: ToolResultBlock, toolUseId: string): ToolResultBlock {
  const { content, is_error } = block;
  const isText = content === undefined || typeof content === 'string';
  const isList = Array.isArray(content) && content.every(isResultPart);
  if (typeof block !== 'object' || !(isText || isList)) {
    throw new TypeError('its content is neither text nor a list of blocks');
  }
  // This throws for content that can't be written as JSON. Otherwise each later request would fail.
  if (!isText) JSON.stringify(content);
  // Removes empty texts, which the API refuses.
  const sent = isText ? content : content.filter((part) => !isEmptyText(part));
  const paired = { type: 'tool_result', tool_use_id: toolUseId } as const;
  if (is_error === true) return { ...paired, content: toFailureContent(sent), is_error };
  return { ...paired, ...(sent !== undefined && { content: sent }) };
}

/**
 * The content of a result with `is_error`: the API accepts only text that isn't empty. For each other part a text
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

/** True for a text that is empty or has only spaces: the API refuses both. */
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

/** A result's text without its images. Limits, spilling and search use this text. */
export function toResultText({ content = '' }: Pick<ToolResultBlock, 'content'>): string {
  return textOf(content, '\n');
}
