// Where an agent runs: what every host (a tab, an isolate, one thread) hands to query().
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
 * Made by `createBrowserHost`, `createInlineHost`, …. Its maker owns it: `query` neither closes nor keeps it. Several
 * queries may share one.
 */
export interface Host extends AsyncDisposable {
  readonly kind: 'browser' | 'edge' | 'inline';
  readonly workspace: Workspace;
  /** Where other tabs may have the same workspace open. */
  readonly tabs?: SessionTabs;
  /** Where its one session's work is cut into events. Left out: a session runs as long as it has work. */
  readonly steps?: SessionSteps;
  /** Moves its sessions to places elsewhere. Left out: they stay. */
  readonly mover?: SessionMover;
  /** Runs the tools that say `runsIn: 'worker'`. */
  readonly executor: Executor;
  readonly clock: Clock;
  /** How it reaches MCP servers elsewhere. Left out: those in process alone can be used. */
  readonly mcp?: McpClientPort;
  /** How WebFetch reads pages. Left out: it is refused. */
  readonly web?: WebPort;
  /** The port by which a tool's own `call` opens WebSockets. Left out: it can't. */
  readonly sockets?: SocketPort;
  /** How a query's PushNotification reaches the person, where its options don't say. Left out: it doesn't. */
  readonly onPushNotification?: OnPushNotification;
  /** Its executor runs the tool LSP, too. Left out: it has no language server. */
  readonly hasLanguageServers?: boolean;
  /** Where the agent sees the workspace's own app. Left out: there is no WebBrowser. */
  readonly preview?: Preview;
  /** Where `app-frame.html` is served, for the apps of MCP servers. Left out: there is no screen for them. */
  readonly appFrame?: string;
  /** The working directory inside the workspace; it exists. */
  readonly cwd: string;
  /** The paths of its mounts that can only be read, as of now. Left out: it has none. */
  readonly readOnlyMounts?: () => readonly string[];
  /**
   * What a person has typed and not saved: flushed before each call, so that it works on what the person sees. A
   * rejection fails the call. Left out: nothing is open here.
   */
  readonly documents?: { flush(): Promise<void> };
  /** What this place can bear, where it is less or more than usual. */
  readonly limits?: Partial<Omit<WorkLimits, 'timeoutMs'>>;
  /** The built-in tools, loaded on first use. */
  loadTools(): Promise<readonly Tool[]>;
  /**
   * What a query begins with. Deferred tools may be listed, and are loaded when they are found or called.
   * A host that lists none gives every definition.
   */
  loadTools(form: 'listed'): Promise<KnownTools>;
}
