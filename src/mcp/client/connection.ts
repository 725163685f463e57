// The port of a connection to an MCP server. Its values are plain data, so the connection may be in
// another realm. Implemented by connect-server.ts, and by the page's client of the MCP worker.
import type {
  AskMcpServer,
  McpAbilities,
  McpEvent,
  McpExtras,
  McpQuestion,
  McpQuestionAnswer,
} from '../../core/mcp/mcp-exchange.ts';
import type { McpRemoteServerConfig } from '../../core/mcp/mcp-server.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';

/** A tool in its server's words, checked and cut to the limits. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputJsonSchema;
  readonly annotations: OfferedHints;
  /** The URI of the app page that shows the tool's calls. */
  readonly appUri?: string;
  /** Who may call the tool. Left out: both the model and the app. */
  readonly visibility?: 'model' | 'app' | 'none';
  /** The server runs the tool only as a task. */
  readonly runsAsTask?: true;
}

/** The protocol's hints with values of the right type. */
export interface OfferedHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  /** Our own hint: the tool's results come from the host, and not from outside. */
  readonly isInside?: boolean;
}

/** A server's tools and capabilities at one time. */
export interface Offer {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly OfferedTool[];
  /** The server may answer a call with a task. See {@link readTaskId}. */
  readonly answersByTasks?: true;
  readonly extras: McpExtras;
  /** The reasons for tools that were left out. */
  readonly problems: readonly string[];
}

export interface ConnectionListeners {
  readonly abilities: McpAbilities;
  /** Answers a request of the server to the host. Never rejects. */
  onQuestion(question: McpQuestion, signal: AbortSignal): Promise<McpQuestionAnswer>;
  onEvent(event: McpEvent): void;
  /** Called when the server's tools or capabilities have changed. */
  onOffer(offer: Offer): void;
  /** Called when the connection is lost without a close. No event follows. */
  onLost(error: Error): void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  onProgress(progress: unknown): void;
}

/** A connection to one server. */
export interface Connection {
  readonly offer: Offer;
  /** The server uses a version of the protocol before 2026-07-28. */
  readonly isLegacy: boolean;
  /**
   * Resolves to the raw result. For a tool that runs as a task, it resolves when the task has
   * ended. An abort cancels the task at the server. Rejects with `mcp-failed`, `limit-exceeded` or
   * `aborted`.
   */
  call(
    toolName: string,
    input: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<unknown>;
  /**
   * Resolves to the result of a task that has answered a call, when the task has ended. An abort
   * cancels the task at the server. Rejects like `call`.
   */
  follow(taskId: string, options: CallOptions): Promise<unknown>;
  /** Sends another request to the server. */
  readonly ask: AskMcpServer;
  /** Idempotent. */
  close(): Promise<void>;
}

export type Connect = (
  config: McpRemoteServerConfig,
  listeners: ConnectionListeners,
  signal: AbortSignal,
) => Promise<Connection>;

/** The extension of 2026-07-28 for calls that run as tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The id of the task that has answered a call. Undefined: the value is the result. */
export function readTaskId(result: unknown): string | undefined {
  const { _meta } = isRecord(result) ? result : {};
  const task = isRecord(_meta) ? _meta[tasksExtension] : undefined;
  const taskId = isRecord(task) ? task['taskId'] : undefined;
  return typeof taskId === 'string' && taskId !== '' ? taskId : undefined;
}
