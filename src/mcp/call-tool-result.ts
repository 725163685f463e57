// What an MCP tool's handler gives, and how the model sees it. Field names are the protocol's.
import type { ImageMediaType, TextBlock, ImageBlock } from '../core/blocks.ts';
import { ToolError } from '../core/errors.ts';
import type { McpMeta } from '../core/tool.ts';

/** One piece of a result. Kinds that aren't listed are told of by name. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string }
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
      };
    };

/** The protocol's result of a tool call. */
export interface CallToolResult extends McpMeta {
  readonly content: readonly McpContent[];
  /** The call failed, and `content` says why. */
  readonly isError?: boolean;
}

/**
 * The result, where it is one: handlers are other people's code.
 *
 * @throws ToolError for whatever has no list of content.
 */
export function checkResult(toolName: string, result: unknown): CallToolResult {
  const { content } = (result ?? {}) as Partial<CallToolResult>;
  if (Array.isArray(content)) return result as CallToolResult;
  throw new ToolError(
    `${toolName} gave no result: its handler must return { content: [{ type: 'text', text: '…' }] }. This is a fault of the tool; try another way.`,
  );
}

/** The content as the API takes it. What it can't take is told of in words. */
export function toResultContent(result: CallToolResult): readonly (TextBlock | ImageBlock)[] {
  const blocks = result.content.map(toBlock);
  if (blocks.length > 0 || !result.structuredContent) return blocks;
  return [text(JSON.stringify(result.structuredContent))];
}

const imageTypes: readonly string[] = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
] satisfies ImageMediaType[];

function toBlock(content: McpContent): TextBlock | ImageBlock {
  switch (content.type) {
    case 'text':
      return text(String(content.text));
    case 'image': {
      const { data, mimeType } = content;
      if (!imageTypes.includes(mimeType)) return text(`(An image of type ${mimeType}, not shown.)`);
      const media_type = mimeType as ImageMediaType;
      return { type: 'image', source: { type: 'base64', media_type, data } };
    }
    case 'audio':
      return text(`(A sound of type ${content.mimeType}, not played.)`);
    case 'resource_link':
      return text(`(A resource: ${content.name}, ${content.uri})`);
    case 'resource': {
      const { uri, mimeType, text: inside } = content.resource;
      return text(inside === undefined ? `(${uri}: bytes of type ${mimeType}.)` : inside);
    }
    default:
      return text(`(Content of type ${String((content as { type?: unknown }).type)}, not shown.)`);
  }
}

// The API refuses an empty text.
function text(words: string): TextBlock {
  return { type: 'text', text: words === '' ? '(empty)' : words };
}
