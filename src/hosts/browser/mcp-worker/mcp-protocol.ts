// What the page and its MCP worker say to each other: a closed list. Both are our own code, so neither checks it.
import type { SerializedError } from '../../../core/errors.ts';
import type { McpHttpServerConfig } from '../../../core/tool/mcp-server.ts';
import type { Offer } from '../../../mcp/client/connection.ts';

/** `id`: a number that no other request has. A connection is known by the number of the request that made it. */
export type ToMcpWorker =
  | { readonly type: 'connect'; readonly id: number; readonly config: McpHttpServerConfig }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly connection: number;
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly timeoutMs: number | undefined;
    }
  /** Of a request: it is answered all the same. */
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close'; readonly connection: number };

export type FromMcpWorker =
  | { readonly type: 'connected'; readonly id: number; readonly offer: Offer }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SerializedError }
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly type: 'offer'; readonly connection: number; readonly offer: Offer }
  | { readonly type: 'lost'; readonly connection: number; readonly error: SerializedError };
