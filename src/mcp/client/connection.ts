// The port of a connection to an MCP server, in plain data, so that the connection can be in another realm.
// connect-server.ts implements it, and the page's client of the MCP worker.
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

/** A tool as its server describes it, checked and cut. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputJsonSchema;
  readonly annotations: OfferedHints;
  /** The page that shows the tool's calls. */
  readonly appUri?: string;
  /** Who may call the tool. Left out: both the model and the app. */
  readonly visibility?: 'model' | 'app' | 'none';
  /** The server runs the tool only as a task. */
  readonly runsAsTask?: true;
}

/** The protocol's hints that have the right kind of value. */
export interface OfferedHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  /** Our own hint: the tool's results are the host's own words. */
  readonly isInside?: boolean;
}

/** What a server offers at one moment. */
export interface Offer {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly OfferedTool[];
  /** The server may answer a call by a task. See {@link readTaskId}. */
  readonly answersByTasks?: true;
  readonly extras: McpExtras;
  /** Tools that were left out, each with the reason. */
  readonly problems: readonly string[];
}

export interface ConnectionListeners {
  readonly abilities: McpAbilities;
  /** The server asks the host for something. Never rejects. */
  onQuestion(question: McpQuestion, signal: AbortSignal): Promise<McpQuestionAnswer>;
  onEvent(event: McpEvent): void;
  /** The server's offer has changed. */
  onOffer(offer: Offer): void;
  /** The server is gone, and was not closed. No event follows. */
  onLost(error: Error): void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  onProgress(progress: unknown): void;
}

/** One server. */
export interface Connection {
  readonly offer: Offer;
  /** The server speaks a version of the protocol before 2026-07-28. */
  readonly isLegacy: boolean;
  /**
   * Gives the raw result. For a tool that runs as a task, it resolves when the task has ended.
   * Aborted, the task is cancelled at the server. Rejects with `mcp-failed`, `limit-exceeded` or
   * `aborted`.
   */
  call(
    toolName: string,
    input: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<unknown>;
  /**
   * Gives the result of a task that answered a call, when the task has ended. Aborted, the task is
   * cancelled at the server. Rejects as `call` does.
   */
  follow(taskId: string, options: CallOptions): Promise<unknown>;
  /** Makes another request to the server. */
  readonly ask: AskMcpServer;
  /** Idempotent. */
  close(): Promise<void>;
}

export type Connect = (
  config: McpRemoteServerConfig,
  listeners: ConnectionListeners,
  signal: AbortSignal,
) => Promise<Connection>;

/** The extension of 2026-07-28 by which servers answer calls by tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The task that answered a call. Undefined: the result itself is the answer. */
export function readTaskId(result: unknown): string | undefined {
  const { _meta } = isRecord(result) ? result : {};
  const task = isRecord(_meta) ? _meta[tasksExtension] : undefined;
  const taskId = isRecord(task) ? task['taskId'] : undefined;
  return typeof taskId === 'string' && taskId !== '' ? taskId : undefined;
}
