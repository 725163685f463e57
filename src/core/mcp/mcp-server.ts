// MCP servers as a query is told of them, and as hosts and hooks are; and the port by which a host reaches those
// elsewhere. What a server offers comes as tools: how it is reached is the server's own part.
import type {
  AskMcpServer,
  McpAbilities,
  McpEvent,
  McpExtras,
  McpQuestion,
  McpQuestionAnswer,
} from './mcp-exchange.ts';
import type { McpLogins } from './mcp-login.ts';
import type { McpToolInfo, Tools } from '../tool/tool.ts';

/** A server whose code is on the same page. Made by `createSdkMcpServer` of rockpool/mcp. */
export interface McpServerInstance {
  readonly name: string;
  readonly version: string;
  /** How its tools are meant to be used, for the model; empty for nothing. */
  readonly instructions: string;
  /**
   * Its tools as they are now, named `mcp__<serverName>__<tool>`: a host may give it another name than its own.
   *
   * @throws SdkError `bad-usage` where that makes names that the API doesn't take.
   */
  toTools(serverName: string): Tools;
  /** What it offers besides tools. Left out: nothing. */
  readonly extras?: McpExtras;
  /** Left out with `extras`. */
  readonly ask?: AskMcpServer;
}

/** An in-process server, in the form of the Claude Agent SDK. */
export interface McpSdkServerConfig {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: McpServerInstance;
}

/**
 * A server elsewhere, as the Claude Agent SDK spells it. `http` is the protocol's Streamable HTTP; `sse` is its
 * older form, which the same code speaks where the server answers so.
 */
export interface McpHttpServerConfig extends McpRemoteServerOptions {
  readonly type: 'http' | 'sse';
  /** Absolute, `https:` or `http:`, without a user or a password. */
  readonly url: string;
  /** Sent with each request, such as `Authorization`. They are in no journal, trace or error. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ours: a server that speaks by a WebSocket, one message of the protocol in each of its messages. */
export interface McpWsServerConfig extends McpRemoteServerOptions {
  readonly type: 'ws';
  /** Absolute, `wss:` or `ws:`, without a user or a password. No headers go with it. */
  readonly url: string;
}

/** Ours: a server in a worker or a frame of the host's, one message of the protocol in each message of the port. */
export interface McpPortServerConfig extends McpRemoteServerOptions {
  readonly type: 'port';
  /** The port stays the host's. It isn't closed, and a new connection begins on it again. */
  readonly port: McpMessagePort;
}

/** The part of a `MessagePort` that is used. */
export interface McpMessagePort {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  start?(): void;
}

/** Ours: the tools that the page itself, and frames of it, offer to agents (WebMCP). In a browser's page alone. */
export interface McpWebServerConfig extends McpRemoteServerOptions {
  readonly type: 'webmcp';
  /** Origins of frames whose tools are taken, too. Left out: the page's own alone. */
  readonly fromOrigins?: readonly string[];
  /** A polyfill's, for one. @defaultValue `document.modelContext` */
  readonly modelContext?: WebModelContext;
}

/** The part of `document.modelContext` that is used. Browsers differ, so its results are checked. */
export interface WebModelContext {
  getTools(options?: { readonly fromOrigins?: readonly string[] }): Promise<readonly unknown[]>;
  executeTool(
    tool: unknown,
    input: unknown,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
  addEventListener(type: 'toolchange', listener: () => void): void;
  removeEventListener(type: 'toolchange', listener: () => void): void;
}

/** What all servers elsewhere may be given. */
export interface McpRemoteServerOptions {
  /** How long a call may take, in milliseconds. Progress doesn't extend it. @defaultValue 60 000 */
  readonly timeout?: number;
  /** None of its tools is deferred, and the first turn waits up to 5 s for it. @defaultValue false */
  readonly alwaysLoad?: boolean;
  /**
   * The host vouches for `readOnlyHint`: permission goes by it, too. Left out, hints only tighten.
   *
   * @defaultValue false
   */
  readonly trustAnnotations?: boolean;
  /** What its tools may, by their own names. Others are judged as any call. */
  readonly tools?: readonly McpServerToolPolicy[];
}

/** The policy of one tool, in the form of the Claude Agent SDK. */
export interface McpServerToolPolicy {
  /** The server's own name of the tool. */
  readonly name: string;
  /**
   * `always_deny`: it isn't offered. `always_ask`: a person is asked each time, whatever allows it.
   * `always_allow`: it is allowed as by a rule, so whatever denies or asks comes first.
   */
  readonly permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
}

/** Each server of `options.mcpServers`. */
export type McpServerConfig = McpSdkServerConfig | McpRemoteServerConfig;

/** A server elsewhere. */
export type McpRemoteServerConfig =
  McpHttpServerConfig | McpWsServerConfig | McpPortServerConfig | McpWebServerConfig;

/** A server elsewhere that is connected. */
export interface RemoteMcpServer extends McpServerInstance {
  /** What it offers besides tools, as it is now. */
  readonly extras: McpExtras;
  readonly ask: AskMcpServer;
  /** The tools that its apps may call; see `toTools`. */
  toAppTools(serverName: string): Tools;
  /** Offered tools that were left out, each with the reason. */
  readonly problems: readonly string[];
  /** Idempotent. Calls under way are cut. */
  close(): Promise<void>;
}

/** What is told of a connection while it stands. */
export interface McpListeners {
  /** The server offers other tools or prompts than before. */
  onTools(): void;
  /** The server asks the host for something, during a call. Never rejects. */
  onQuestion(question: McpQuestion, signal: AbortSignal): Promise<McpQuestionAnswer>;
  onEvent(event: McpEvent): void;
  /** The server is gone, and was not closed. */
  onLost(error: Error): void;
}

/** How a host reaches servers elsewhere. Its code is fetched with the first server. */
export interface McpClientPort {
  /** The client reaches the tools of a page, too (`webmcp`). */
  readonly hasPage?: true;
  /** Left out: nobody logs in here. */
  readonly logins?: McpLogins;
  /**
   * Connects, and lists the tools.
   *
   * @throws SdkError `mcp-failed`, with the reason in a sentence; its data has `needsAuth` where the server wants a login.
   */
  connect(
    name: string,
    config: McpRemoteServerConfig,
    options: McpListeners & {
      readonly abilities: McpAbilities;
      readonly source?: McpServerSource;
      readonly signal: AbortSignal;
    },
  ): Promise<RemoteMcpServer>;
}

/** A server of the query's, as `Query.mcpServerStatus()` tells of it. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  /** The server's own name and version, once it is connected. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** Why it isn't connected, or which of its tools were left out. */
  readonly error?: string;
  /** The tools by the server's own names, while it is connected. */
  readonly tools?: readonly { readonly name: string }[];
}

/** What a tool is told of the session's servers. */
export interface McpServerWaiting {
  /**
   * Resolves when none of these is being connected any more, or after that time. Left out: those that are being
   * connected now. Rejects with `bad-usage` for a name that is no server's, and with the signal's reason.
   */
  wait(
    names: readonly string[] | undefined,
    ms: number,
    signal: AbortSignal,
  ): Promise<readonly McpServerStatus[]>;
}

/** What `Query.setMcpServers()` has changed. */
export interface McpSetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The servers that couldn't be connected, by name, with the reason. */
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Who has named a server. `sdk`: its code is the host's own. Elsewhere are: `option`, of the query's options;
 * `dynamic`, of `setMcpServers`; `project`, of the workspace's `.mcp.json` or of a plugin.
 */
export type McpServerSource = 'sdk' | 'option' | 'dynamic' | 'project';

/** Where a server's tool comes from. Trust depends on the source, never on the name. */
export interface McpServerProvenance {
  readonly name: string;
  readonly source: McpServerSource;
}

/** What hosts and hooks are told of a remote tool's server. */
export function toMcpServer({
  serverName,
  isElsewhere,
  source = isElsewhere ? 'option' : 'sdk',
}: McpToolInfo): McpServerProvenance {
  return { name: serverName, source };
}
