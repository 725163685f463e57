// What the page and its MCP worker say to each other: a closed list. Both are our own code, so neither checks it.
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

/** The part of the host's options that is plain data. */
export interface McpWorkerOptions {
  readonly bounds: McpBounds;
  readonly proxy: McpProxyAddress | undefined;
  /** Its store is the page's. */
  readonly login: Omit<McpLoginOptions, 'store'> | undefined;
}

/** A call of {@link McpLogins}, and what it is given. */
export interface LoginRequest {
  readonly method: keyof McpLogins;
  readonly address: string;
}

/** `id`: a number that no other request has. A connection is known by the number of the request that made it. */
export type ToMcpWorker =
  /** First of all. */
  | { readonly type: 'begin'; readonly options: McpWorkerOptions }
  | { readonly type: 'login'; readonly id: number; readonly asked: LoginRequest }
  /** What the store has, or that it has it. */
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
  /** Of a call that was answered by a task. */
  | {
      readonly type: 'follow';
      readonly id: number;
      readonly connection: number;
      readonly taskId: string;
      readonly timeoutMs: number | undefined;
    }
  /** Does it still hear? Answered at once. */
  | { readonly type: 'ping' }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly connection: number;
      readonly request: McpRequest;
    }
  /** `question`: the number that the worker gave it. */
  | {
      readonly type: 'answer';
      readonly question: number;
      readonly answer: McpQuestionAnswer;
    }
  /** Of a request: it is answered all the same. */
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close'; readonly connection: number };

export type FromMcpWorker =
  /** What the method resolved with. */
  | { readonly type: 'login'; readonly id: number; readonly answer: McpLogin | string | void }
  /** Numbers of its own, which are the worker's. */
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
  /** What a server asks in the midst of its calls, whose time stands still until it is answered. */
  | {
      readonly type: 'question';
      readonly connection: number;
      readonly question: number;
      readonly asked: McpQuestion;
    }
  /** Nobody waits for its answer any more: it is answered all the same. */
  | { readonly type: 'withdrawn'; readonly question: number }
  | { readonly type: 'event'; readonly connection: number; readonly event: McpEvent }
  | { readonly type: 'offer'; readonly connection: number; readonly offer: Offer }
  | { readonly type: 'lost'; readonly connection: number; readonly error: SerializedError };
