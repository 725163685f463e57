// A request as the bytes that a model is given, in the API's order: tools, system, messages.
import type { MessageParam, ModelRequest, ToolParam } from '../../../src/index.ts';

/** What the product counts by, too. */
const bytesPerToken = 4;

export function toTokens(bytes: number): number {
  return bytes / bytesPerToken;
}

/**
 * What the model is given. The API keeps deferred definitions from it, and puts each where a
 * `tool_reference` names it; so do we.
 */
export function toPromptBytes({ tools, system, messages }: ModelRequest): Buffer {
  const deferred = new Map(
    tools.filter((tool) => tool.defer_loading).map((tool) => [tool.name, tool]),
  );
  return toBytes([
    ...tools.filter((tool) => !tool.defer_loading),
    ...system,
    ...messages.flatMap((message) => [message, ...listReferred(message, deferred)]),
  ]);
}

/** All that is sent. */
export function toWireBytes({ tools, system, messages }: ModelRequest): Buffer {
  return toBytes([...tools, ...system, ...messages]);
}

export function toBytes(parts: readonly unknown[]): Buffer {
  return Buffer.from(parts.map((part) => JSON.stringify(part)).join('\n'));
}

/** How many bytes two requests begin with alike. */
export function countShared(left: Buffer, right: Buffer): number {
  const end = Math.min(left.length, right.length);
  const step = 4096;
  let at = 0;
  // In steps, for `equals` compares many bytes at once.
  while (left.subarray(at, at + step).equals(right.subarray(at, at + step)) && at < end) at += step;
  while (at < end && left[at] === right[at]) at += 1;
  return Math.min(at, end);
}

function listReferred(
  { content }: MessageParam,
  deferred: ReadonlyMap<string, ToolParam>,
): readonly ToolParam[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) =>
    block.type === 'tool_result' && 'content' in block && Array.isArray(block.content)
      ? (block.content as readonly { readonly type: string; readonly tool_name?: string }[])
          .filter((part) => part.type === 'tool_reference')
          .flatMap(({ tool_name = '' }) => deferred.get(tool_name) ?? [])
      : [],
  );
}
