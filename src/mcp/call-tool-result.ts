// The result of an MCP tool's handler, and its form for the model. Field names are the protocol's.
import type {
  ImageBlock,
  ImageMediaType,
  TextBlock,
  ToolResultBlock,
} from '../core/messages/blocks.ts';
import { describeThrown, ToolError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { McpResources } from '../core/mcp/mcp-resources.ts';
import type { McpMeta } from '../core/tool/tool.ts';

/** A part of a result. For other kinds, only the name of the kind is given to the model. */
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
  /** The call failed, and `content` has the reason. */
  readonly isError?: boolean;
}

/**
 * Checks the result, because handlers are other people's code. Content that the API refuses would
 * stay in the conversation and make each later request fail.
 *
 * @throws ToolError for a result without a list of content, or with content of another type than
 * declared
 */
export function checkResult(toolName: string, result: unknown): CallToolResult {
  const fields = toFields(result);
  const { content } = fields;
  if (!Array.isArray(content)) {
    throw fault(
      `${toolName} gave no result: its handler must return { content: [{ type: 'text', text: '…' }] }`,
    );
  }
  const wrong = findWrong(fields) ?? findWrongPart(content);
  if (wrong !== undefined) throw fault(`${toolName} gave a result that can't be read: ${wrong}`);
  return result as CallToolResult;
}

function fault(what: string): ToolError {
  return new ToolError(`${what}. This is a fault of the tool; try another way.`);
}

/**
 * Stores bytes that the model can't see in files. `keep` creates a file; its path, or the reason
 * why there is none, replaces the bytes. Images are made to fit, and become files if that fails.
 * Never rejects, because the call has done its work.
 */
export async function keepBytes(
  result: CallToolResult,
  { keep, fit }: Pick<McpResources, 'keep' | 'fit'>,
): Promise<CallToolResult> {
  const content: McpContent[] = [];
  for (const part of result.content) {
    const bytes = findBytes(part);
    // The model gets only the text of a failed call.
    const isShown = part.type === 'image' && imageTypes.includes(part.mimeType) && !result.isError;
    const image = isShown ? await fit(part.data) : undefined;
    if (image || !bytes) {
      content.push(image ? { ...part, ...image } : part);
      continue;
    }
    const { name, mimeType, blob } = bytes;
    const kind = mimeType === undefined ? '' : ` (${mimeType})`;
    const kept = await keep(name, mimeType, blob).then(
      (path) => `its bytes are in ${path}.`,
      (error: unknown) => `its bytes could not be kept: ${describeThrown(error)}`,
    );
    content.push({ type: 'text', text: `${name}${kind}: ${kept}` });
  }
  return { ...result, content };
}

/** The bytes of a part. Undefined: it has none. */
function findBytes(
  part: McpContent,
): { readonly name: string; readonly mimeType?: string; readonly blob: string } | undefined {
  switch (part.type) {
    case 'audio':
      return { name: 'A sound', mimeType: part.mimeType, blob: part.data };
    case 'image':
      return { name: 'An image', mimeType: part.mimeType, blob: part.data };
    case 'resource': {
      const { uri, mimeType, blob } = part.resource;
      return blob === undefined
        ? undefined
        : { name: uri, ...(mimeType !== undefined && { mimeType }), blob };
    }
    default:
      return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function toFields(value: unknown): Fields {
  return (value ?? {}) as Fields;
}

function findWrong({ isError = false, _meta = {} }: Fields) {
  if (typeof isError !== 'boolean') return 'isError is neither true nor false';
  return isRecord(_meta) ? undefined : '_meta is no object';
}

function findWrongPart(content: readonly unknown[]): string | undefined {
  for (const [at, part] of content.entries()) {
    const wrong = findWrongField(toFields(part));
    if (wrong !== undefined) return `content[${at}] ${wrong}`;
  }
  return undefined;
}

/** The required fields of each kind, all of them texts. Of other kinds only the type is shown. */
const textFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

function findWrongField(part: Fields): string | undefined {
  const { type, data, mimeType } = part;
  if (typeof type !== 'string') return 'has no type';
  if (type === 'resource') return findWrongResource(toFields(part['resource']));
  const missing = textFields.get(type)?.find((name) => typeof part[name] !== 'string');
  if (missing !== undefined) return `is of type ${type}, and its ${missing} is no text`;
  const isSent = type === 'image' && imageTypes.includes(String(mimeType));
  return isSent && !isBase64(String(data)) ? 'is an image whose data is no base64' : undefined;
}

function findWrongResource({ uri, text: inside, blob }: Fields): string | undefined {
  if (typeof uri !== 'string') return 'is a resource without a uri';
  const isWhole = typeof inside === 'string' || (inside === undefined && typeof blob === 'string');
  return isWhole ? undefined : 'is a resource with neither text nor blob';
}

function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
  const digits = data.slice(0, data.length - padding);
  // Searches for a wrong character, because a pattern for several megabytes may overflow the
  // engine's stack.
  return data.length % 4 === 0 && digits !== '' && !/[^A-Za-z0-9+/]/u.test(digits);
}

/** The content in the API's form. A part that the API doesn't support is described in words. */
export function toResultContent(result: CallToolResult): readonly (TextBlock | ImageBlock)[] {
  const blocks = result.content.map(toBlock);
  if (blocks.length > 0 || result.structuredContent === undefined) return blocks;
  return [text(JSON.stringify(result.structuredContent))];
}

/** The result as a block of the conversation. */
export function toResultBlock(result: CallToolResult, toolUseID: string): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toResultContent(result),
    ...(result.isError === true && { is_error: true }),
  };
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
      return text(content.text);
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
      return text(
        inside === undefined
          ? `(${uri}: bytes of type ${mimeType ?? 'unknown'}.)`
          : // If there are several, they are numbered for the model.
            `(The resource ${uri}:)\n${inside}`,
      );
    }
    default:
      return text(`(Content of type ${String((content as { type?: unknown }).type)}, not shown.)`);
  }
}

// The API refuses an empty text.
function text(words: string): TextBlock {
  return { type: 'text', text: words === '' ? '(empty)' : words };
}
