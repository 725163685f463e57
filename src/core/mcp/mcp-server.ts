// The types of MCP servers for queries, hosts and hooks, and the port by which a host reaches remote servers. The
// agent sees only a server's tools and extras, whatever the connection is.
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
  /** Tells the model how to use the server's tools. Empty: nothing. */
  readonly instructions: string;
  /**
   * The present tools, named `mcp__<serverName>__<tool>`. `serverName` is the host's name for the server, which may
   * differ from the server's own.
   *
   * @throws SdkError `bad-usage` if the API doesn't accept such a name
   */
  toTools(serverName: string): Tools;
  /** What the server offers besides tools. Left out: nothing. */
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
 * A remote server, with the Claude Agent SDK's names. `http` is the protocol's Streamable HTTP; `sse` is its older
 * form. The same code supports both, by the server's answer.
 */
export interface McpHttpServerConfig extends McpRemoteServerOptions {
  readonly type: 'http' | 'sse';
  /** Absolute, `https:` or `http:`, without a user or a password. */
  readonly url: string;
  /** Headers of each request, such as `Authorization`. No journal, trace or error contains them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ours: a server over a WebSocket. Each WebSocket message holds one message of the protocol. */
export interface McpWsServerConfig extends McpRemoteServerOptions {
  readonly type: 'ws';
  /** Absolute, `wss:` or `ws:`, without a user or a password. Headers can't be sent. */
  readonly url: string;
}

/** Ours: a server in a worker or a frame of the host. Each message of the port holds one message of the protocol. */
export interface McpPortServerConfig extends McpRemoteServerOptions {
  readonly type: 'port';
  /** The host owns the port. Rockpool doesn't close it, and a new connection uses it again. */
  readonly port: McpMessagePort;
}

/** The part of a `MessagePort` that is used. */
export interface McpMessagePort {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  start?(): void;
}

/** Ours: the tools that the page and its frames offer to agents (WebMCP). Only in a browser's page. */
export interface McpWebServerConfig extends McpRemoteServerOptions {
  readonly type: 'webmcp';
  /** Origins of frames whose tools are also used. Left out: only the page's tools. */
  readonly fromOrigins?: readonly string[];
  /** The object to use, for example a polyfill's. @defaultValue `document.modelContext` */
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

/** Options of every remote server. */
export interface McpRemoteServerOptions {
  /** How long a call may take, in milliseconds. Progress doesn't extend this time. @defaultValue 60 000 */
  readonly timeout?: number;
  /** None of the server's tools is deferred, and the first turn waits up to 5 s for the server. @defaultValue false */
  readonly alwaysLoad?: boolean;
  /**
   * The host trusts the server's `readOnlyHint`, so permissions use it. Left out: hints can only make permissions
   * stricter.
   *
   * @defaultValue false
   */
  readonly trustAnnotations?: boolean;
  /** Policies of tools, by the server's own names. Other tools are judged like any call. */
  readonly tools?: readonly McpServerToolPolicy[];
}

/** The policy of one tool, in the form of the Claude Agent SDK. */
export interface McpServerToolPolicy {
  /** The server's own name of the tool. */
  readonly name: string;
  /**
   * `always_deny`: the tool isn't offered. `always_ask`: a person is asked each time, even if something allows the
   * call. `always_allow`: works like an allow rule, so everything that denies or asks comes first.
   */
  readonly permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
}

/** Each server of `options.mcpServers`. */
export type McpServerConfig = McpSdkServerConfig | McpRemoteServerConfig;

/** A remote server. */
export type McpRemoteServerConfig =
  McpHttpServerConfig | McpWsServerConfig | McpPortServerConfig | McpWebServerConfig;

/** A connected remote server. */
export interface RemoteMcpServer extends McpServerInstance {
  /** What the server offers besides tools, at present. */
  readonly extras: McpExtras;
  readonly ask: AskMcpServer;
  /** The tools that the server's apps may call; see `toTools`. */
  toAppTools(serverName: string): Tools;
  /** Tools of the server that were left out, each with the reason. */
  readonly problems: readonly string[];
  /** Closes the connection, and cuts running calls. Idempotent. */
  close(): Promise<void>;
}

/** Listeners to the events of a connection. */
export interface McpListeners {
  /** The server's tools or prompts have changed. */
  onTools(): void;
  /** The server asks the host for something, during a call. Never rejects. */
  onQuestion(question: McpQuestion, signal: AbortSignal): Promise<McpQuestionAnswer>;
  onEvent(event: McpEvent): void;
  /** The connection was lost; it wasn't closed. */
  onLost(error: Error): void;
}

/** The port by which a host reaches remote servers. Its code is loaded with the first server. */
export interface McpClientPort {
  /** True if the client also reaches the tools of a page (`webmcp`). */
  readonly hasPage?: true;
  /** Left out: logins aren't possible. */
  readonly logins?: McpLogins;
  /**
   * Connects to a server and lists its tools.
   *
   * @throws SdkError `mcp-failed`, with the reason in a sentence; its data has `needsAuth` if the server requires a
   * login
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

/** The status of a server, from `Query.mcpServerStatus()`. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  /** The server's own name and version, once it is connected. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** Why the server isn't connected, or which of its tools were left out. */
  readonly error?: string;
  /** The tools by the server's own names, while it is connected. */
  readonly tools?: readonly { readonly name: string }[];
}

/** By this a tool waits for servers that are being connected. */
export interface McpServerWaiting {
  /**
   * Resolves when none of the named servers is being connected any more, or after that time. Without names it waits
   * for all servers that are being connected now. Rejects with `bad-usage` for a name that is no server's, and with
   * the signal's reason.
   */
  wait(
    names: readonly string[] | undefined,
    ms: number,
    signal: AbortSignal,
  ): Promise<readonly McpServerStatus[]>;
}

/** The result of `Query.setMcpServers()`. */
export interface McpSetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The servers that couldn't be connected, by name, with the reason. */
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Where a server's configuration comes from. `sdk`: the server runs in the host's process. The others are remote:
 * `option`, from the query's options; `dynamic`, from `setMcpServers`; `project`, from the workspace's `.mcp.json` or
 * a plugin.
 */
export type McpServerSource = 'sdk' | 'option' | 'dynamic' | 'project';

/** Where a server's tool comes from. Trust depends on the source, never on the name. */
export interface McpServerProvenance {
  readonly name: string;
  readonly source: McpServerSource;
}

/** What hosts and hooks get about a remote tool's server. */
export function toMcpServer({
  serverName,
  isElsewhere,
  source = isElsewhere ? 'option' : 'sdk',
}: McpToolInfo): McpServerProvenance {
  return { name: serverName, source };
}
