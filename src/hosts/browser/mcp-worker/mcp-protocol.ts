// The messages between the page and its MCP worker: a closed list. Both sides are Rockpool's own
// code, so neither validates them.
import type { SerializedError } from '../../../core/errors.ts';
import type {
  McpAbilities,
  McpEvent,
  McpQuestion,
  McpQuestionAnswer,
  McpRequest,
} from '../../../core/mcp/mcp-exchange.ts';
import type { McpLogin, McpLoginOptions, McpLogins } from '../../../core/mcp/mcp-login.ts';
import type { McpRemoteServerConfig } from '../../../core/mcp/mcp-server.ts';
import type { McpBounds } from '../../../mcp/client/bounds.ts';
import type { McpProxyAddress } from '../../../mcp/client/thread-client.ts';
import type { Offer } from '../../../mcp/client/connection.ts';

/** The serialisable part of the host's options. */
export interface McpWorkerOptions {
  readonly bounds: McpBounds;
  readonly proxy: McpProxyAddress | undefined;
  /** The login store stays on the page. */
  readonly login: Omit<McpLoginOptions, 'store'> | undefined;
}

/** A call of {@link McpLogins} with its parameters. */
export interface LoginRequest {
  readonly method: keyof McpLogins;
  readonly address: string;
}

/**
 * `id` is unique among requests. A connection is identified by the id of the request that created
 * it.
 */
export type ToMcpWorker =
  /** The first message. */
  | { readonly type: 'begin'; readonly options: McpWorkerOptions }
  | { readonly type: 'login'; readonly id: number; readonly asked: LoginRequest }
  /** The value from the store, or the confirmation of a write. */
  | { readonly type: 'stored'; readonly id: number; readonly value: string | undefined }
  | { readonly type: 'not-stored'; readonly id: number; readonly error: SerializedError }
  | {
      readonly type: 'connect';
      readonly id: number;
      readonly config: McpRemoteServerConfig;
      readonly abilities: McpAbilities;
    }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly connection: number;
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly timeoutMs: number | undefined;
    }
  /** For a call that was answered by a task. */
  | {
      readonly type: 'follow';
      readonly id: number;
      readonly connection: number;
      readonly taskId: string;
      readonly timeoutMs: number | undefined;
    }
  /** Checks that the worker responds. Answered at once. */
  | { readonly type: 'ping' }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly connection: number;
      readonly request: McpRequest;
    }
  /** `question` is the number that the worker assigned. */
  | {
      readonly type: 'answer';
      readonly question: number;
      readonly answer: McpQuestionAnswer;
    }
  /** Aborts a request, which is still answered. */
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close'; readonly connection: number };

export type FromMcpWorker =
  /** The result of the method. */
  | { readonly type: 'login'; readonly id: number; readonly answer: McpLogin | string | void }
  /** Store requests have numbers of the worker. */
  | { readonly type: 'read'; readonly id: number; readonly key: string }
  | {
      readonly type: 'write';
      readonly id: number;
      readonly key: string;
      readonly value: string | undefined;
    }
  | { readonly type: 'pong' }
  | {
      readonly type: 'connected';
      readonly id: number;
      readonly offer: Offer;
      readonly isLegacy: boolean;
    }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SerializedError }
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  /** A server's question during a call, whose deadline is paused until it is answered. */
  | {
      readonly type: 'question';
      readonly connection: number;
      readonly question: number;
      readonly asked: McpQuestion;
    }
  /** The question is withdrawn, but must still be answered. */
  | { readonly type: 'withdrawn'; readonly question: number }
  | { readonly type: 'event'; readonly connection: number; readonly event: McpEvent }
  | { readonly type: 'offer'; readonly connection: number; readonly offer: Offer }
  | { readonly type: 'lost'; readonly connection: number; readonly error: SerializedError };
