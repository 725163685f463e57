// What the tools on resources of MCP servers are given: the connected servers that have some, without those that a rule
// denies. agent/session/mcp/mcp-resources.ts makes one a call.
import { ToolError } from '../errors.ts';
import type { ImageMediaType } from '../messages/blocks.ts';
import { matchesWildcard } from '../permissions/match-wildcard.ts';
import type { ToolUseContext } from '../tool/context.ts';
import type { McpResource } from './mcp-exchange.ts';

/** A resource, and whose it is. One with `{` in its uri is a template: the model fills it in. */
export interface ListedMcpResource extends McpResource {
  readonly server: string;
}

/** What was read. Bytes stand in a file of the session. */
export interface ReadMcpContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blobSavedTo?: string;
}

/** An argument of a template for which values are wanted. */
export interface TemplateArgument {
  readonly server: string;
  readonly uriTemplate: string;
  readonly argument: string;
  readonly value: string;
}

/**
 * The resources that one call may read. Methods reject with `mcp-failed`, `limit-exceeded` or `aborted`, and with
 * `bad-usage` for a server that doesn't exist, or has no resources.
 */
export interface McpResources {
  /** Lists the resources of one server, or of all; `problems` names servers that fail. */
  list(server: string | undefined): Promise<{
    readonly resources: readonly ListedMcpResource[];
    readonly problems: readonly string[];
  }>;
  /** What the template comes to with each value that the server proposes. */
  complete(wanted: TemplateArgument): Promise<readonly ListedMcpResource[]>;
  /** From then on the model is told when the resource has changed, where the server tells it. */
  read(server: string, uri: string): Promise<readonly ReadMcpContents[]>;
  readDirectory(server: string, uri: string): Promise<readonly McpResource[]>;
  /** Makes a file of the session of bytes in base64, and gives its path. `name`: what they are, for the error. */
  keep(name: string, mimeType: string | undefined, blob: string): Promise<string>;
  /** An image in base64 as the API takes it, with its own type; undefined where it can't be shown. Never rejects. */
  fit(
    data: string,
  ): Promise<{ readonly data: string; readonly mimeType: ImageMediaType } | undefined>;
}

/** @throws ToolError where the session has no servers: it may have been resumed without them. */
export function requireMcpResources({ mcpResources }: ToolUseContext): McpResources {
  if (mcpResources) return mcpResources;
  throw new ToolError('This session has no MCP servers, so there are no resources to read.');
}

/** What rules may say of a resource in brackets: `server`, or `server:` and a pattern of its address. */
export function createResourceMatcher({
  server,
  uri,
}: {
  readonly server: string;
  readonly uri: string;
}): (pattern: string) => boolean {
  return (pattern) => pattern === server || matchesWildcard(pattern, `${server}:${uri}`);
}
