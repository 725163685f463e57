// The port to the place where an agent runs. Every host (a tab, an isolate, one thread) gives one to query().
import type { SocketPort } from '../core/host-ports/socket-port.ts';
import type { WorkLimits } from '../core/tool/handler.ts';
import type { Clock, Executor } from '../core/tool/ports.ts';
import type { McpClientPort } from '../core/mcp/mcp-server.ts';
import type { Preview } from '../core/host-ports/preview.ts';
import type { KnownTools } from '../core/tool/listed-tool.ts';
import type { Tool } from '../core/tool/tool.ts';
import type { WebPort } from '../core/host-ports/web.ts';
import type { OnPushNotification } from '../core/host-ports/user-notification.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { SessionMover } from './session-mover.ts';
import type { SessionSteps } from './session-steps.ts';
import type { SessionTabs } from './tabs/session-tabs.ts';

/**
 * Created by `createBrowserHost`, `createInlineHost`, …. The caller owns it: `query` doesn't close it. Several
 * queries may share one.
 */
export interface Host extends AsyncDisposable {
  readonly kind: 'browser' | 'edge' | 'inline';
  readonly workspace: Workspace;
  /** Present if other tabs may have the same workspace open. */
  readonly tabs?: SessionTabs;
  /** Present if the work of its one session is split into events. Left out: a session runs as long as it has work. */
  readonly steps?: SessionSteps;
  /** Moves its sessions to other places. Left out: they can't move. */
  readonly mover?: SessionMover;
  /** Runs the tools with `runsIn: 'worker'`. */
  readonly executor: Executor;
  readonly clock: Clock;
  /** How it reaches remote MCP servers. Left out: only in-process servers can be used. */
  readonly mcp?: McpClientPort;
  /** How WebFetch reads pages. Left out: WebFetch is refused. */
  readonly web?: WebPort;
  /** The port by which a tool's `call` opens WebSockets. Left out: it can't open any. */
  readonly sockets?: SocketPort;
  /**
   * How PushNotification reaches the person, if the query's options don't give a way. Left out: it doesn't reach
   * them.
   */
  readonly onPushNotification?: OnPushNotification;
  /** True if its executor also runs the tool LSP. Left out: it has no language server. */
  readonly hasLanguageServers?: boolean;
  /** The preview in which the agent uses the workspace's app. Left out: there is no tool WebBrowser. */
  readonly preview?: Preview;
  /** The URL of `app-frame.html`, for the apps of MCP servers. Left out: apps can't be shown. */
  readonly appFrame?: string;
  /** The working directory inside the workspace, which exists. */
  readonly cwd: string;
  /** Returns the present paths of read-only mounts. Left out: there are none. */
  readonly readOnlyMounts?: () => readonly string[];
  /**
   * Text that a person has typed and not saved. It is flushed before each call, so that the call sees the same as the
   * person. A rejection fails the call. Left out: no documents are open.
   */
  readonly documents?: { flush(): Promise<void> };
  /** Limits of this place that differ from the defaults. */
  readonly limits?: Partial<Omit<WorkLimits, 'timeoutMs'>>;
  /** The built-in tools, loaded on first use. */
  loadTools(): Promise<readonly Tool[]>;
  /**
   * The tools with which a query begins. Deferred tools may be listed without a definition, and are loaded when they
   * are found or called. A host that lists none gives every definition.
   */
  loadTools(form: 'listed'): Promise<KnownTools>;
}
