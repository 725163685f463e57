// The port of the tools that read resources of MCP servers. It reaches connected servers with resources, except those
// that a rule denies. agent/session/mcp/mcp-resources.ts creates one for each call.
import { ToolError } from '../errors.ts';
import type { ImageMediaType } from '../messages/blocks.ts';
import { matchesWildcard } from '../permissions/match-wildcard.ts';
import type { ToolUseContext } from '../tool/context.ts';
import type { McpResource } from './mcp-exchange.ts';

/** A resource and the name of its server. If its `uri` has a `{`, it is a template that the model fills in. */
export interface ListedMcpResource extends McpResource {
  readonly server: string;
}

/** A resource that was read. Bytes are in a file of the session. */
export interface ReadMcpContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blobSavedTo?: string;
}

/** An argument of a template, for which the server proposes values. */
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
  /** The resources that the template gives with the values that the server proposes. */
  complete(wanted: TemplateArgument): Promise<readonly ListedMcpResource[]>;
  /** Reads a resource. If the server reports changes of it, the model is told of them from then on. */
  read(server: string, uri: string): Promise<readonly ReadMcpContents[]>;
  readDirectory(server: string, uri: string): Promise<readonly McpResource[]>;
  /** Writes base64 bytes to a file of the session, and returns its path. `name` describes the bytes in an error. */
  keep(name: string, mimeType: string | undefined, blob: string): Promise<string>;
  /** Makes a base64 image small enough for the API. Resolves to undefined if it can't be shown. Never rejects. */
  fit(
    data: string,
  ): Promise<{ readonly data: string; readonly mimeType: ImageMediaType } | undefined>;
}

/** @throws ToolError if the session has no servers; it may have been resumed without them */
export function requireMcpResources({ mcpResources }: ToolUseContext): McpResources {
  if (mcpResources) return mcpResources;
  throw new ToolError('This session has no MCP servers, so there are no resources to read.');
}

/** Matches the content of rules on resources: `server`, or `server:` and a pattern of the resource's address. */
export function createResourceMatcher({
  server,
  uri,
}: {
  readonly server: string;
  readonly uri: string;
}): (pattern: string) => boolean {
  return (pattern) => pattern === server || matchesWildcard(pattern, `${server}:${uri}`);
}
