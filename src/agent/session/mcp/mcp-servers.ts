// The MCP servers of one session, in process or remote. Turns don't wait for connections: tools are
// added and removed between two requests. Created by load-features.ts for a query that has servers
// or sets some later.
import { createDeferred } from '../../../core/async/deferred.ts';
import { SdkError, messageOf } from '../../../core/errors.ts';
import type {
  McpClientPort,
  McpServerSource,
  McpServerConfig,
  McpServerInstance,
  McpServerStatus,
  McpServerWaiting,
  McpSetServersResult,
  RemoteMcpServer,
} from '../../../core/mcp/mcp-server.ts';
import type { McpLogin, McpLogins } from '../../../core/mcp/mcp-login.ts';
import type { McpResources } from '../../../core/mcp/mcp-resources.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { Tools } from '../../../core/tool/tool.ts';
import type { ServerNote } from '../../context/announce-servers.ts';
import { checkMcpServers, checkServers, noClient, refuse } from './check-mcp-servers.ts';
import type { McpExchange } from './mcp-exchange.ts';
import { createMcpResources, listResourceServers } from './mcp-resources.ts';
import type { ResourceSession } from './mcp-resources.ts';
import type { ServerChanges } from '../server-changes.ts';

/** The servers of a session, until it ends. */
export interface McpServers extends McpServerWaiting {
  /** True if one of the servers is remote. */
  isElsewhere(): boolean;
  /**
   * The tools of all connected servers. The objects stay the same as long as a server's tools don't
   * change.
   */
  tools(): Tools;
  /** The connected servers that have more than tools. */
  connected(): readonly {
    readonly name: string;
    /** A server in process has no `toAppTools`, because all of its tools are for the model. */
    readonly server: Pick<RemoteMcpServer, 'ask' | 'extras'> &
      Partial<Pick<RemoteMcpServer, 'toAppTools'>>;
  }[];
  status(): readonly McpServerStatus[];
  /** For the session that takes this one's place. */
  changes(): ServerChanges;
  /** True if one of the servers that the agent may ask has resources. */
  hasResources(agent: Pick<ResourceSession, 'permissions'>): boolean;
  /** The resources for one call of the agent. `signal`: the call's signal. */
  toResources(agent: ResourceSession, signal: AbortSignal): McpResources;
  /** The exchange of the session. */
  readonly exchange: McpExchange;
  /** Notes about the servers for the model. */
  notes(): readonly ServerNote[];
  /**
   * Replaces the servers of the last `set`. The servers of the query's options stay. Resolves when
   * each server has connected or failed. Rejects like {@link createMcpServers}; then nothing has
   * changed.
   */
  set(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  /**
   * Connects a server again. Rejects with the reason if it can't be connected; `bad-usage` for an
   * unknown name.
   */
  reconnect(name: string): Promise<void>;
  /**
   * Enables or disables a server. A disabled server is closed and has no tools. Rejects like
   * `reconnect`.
   */
  toggle(name: string, isEnabled: boolean): Promise<void>;
  /**
   * Starts a login. Rejects with the reason if that fails. Rejects with `bad-usage` if this host
   * has no logins, or for an unknown name.
   */
  login(name: string): Promise<McpLogin>;
  /**
   * Completes a login with its callback URL, and connects the servers of that login. Rejects like
   * `login`.
   */
  completeLogin(callbackUrl: string): Promise<void>;
  /** Deletes a login, and closes the server. Rejects like `login`. */
  logout(name: string): Promise<void>;
  /** Closes all servers. Afterwards they have no tools. */
  close(): void;
}

export interface McpServersOptions {
  /**
   * The servers of the workspace's `.mcp.json` that a person trusts. A server with the same name in
   * the options has precedence.
   */
  readonly ofProject?: Readonly<Record<string, McpServerConfig>>;
  /** The changes of the session whose place this one takes. */
  readonly changes?: ServerChanges | undefined;
  /** Undefined: this host can't reach remote servers. */
  readonly client: McpClientPort | undefined;
  readonly clock: Clock;
  readonly exchange: McpExchange;
  /** Aborted with the session. Then all servers are closed. */
  readonly signal: AbortSignal;
}

interface Server {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly source: McpServerSource;
  state: McpServerStatus['status'];
  instance?: McpServerInstance | RemoteMcpServer | undefined;
  tools: Tools;
  error?: string | undefined;
  /** The number of failures in a row. A connection that has lasted for a while resets it. */
  failures: number;
  /** The time of the last connection, in milliseconds since the epoch. */
  connectedAt?: number;
  /** Aborts the server's present work: a connection, or the wait before a retry. */
  controller: AbortController;
}

// 5 s: a person may be expected to wait this long for the first word.
const firstWaitMs = 5_000;

// Retries after 1, 2, 4, 8 and 16 s: a server that restarts is ready by then.
const maxTries = 5;
const firstDelayMs = 1_000;

// 10 s: otherwise a server that accepts connections and drops them at once would be retried each
// second forever.
const steadyMs = 10_000;

/**
 * Begins to connect the servers, and waits up to 5 s for those with `alwaysLoad`.
 * @throws SdkError `bad-usage` for a server that can't be used here; the message says which can.
 * Also for servers whose names, or tool names, would be equal
 */
export async function createMcpServers(
  configs: Readonly<Record<string, McpServerConfig>>,
  options: McpServersOptions,
): Promise<McpServers> {
  const { client, clock, signal, exchange, ofProject = {}, changes } = options;
  const servers = new Map<string, Server>();
  /** Called when a server's state has changed. */
  const watchers = new Set<() => void>();
  const tell = () => [...watchers].forEach((watcher) => watcher());
  const given = { ...ofProject, ...configs };
  checkMcpServers(given, client);
  const awaited: Promise<void>[] = [];
  const { dynamic = {}, disabled = [] } = changes ?? {};
  for (const [name, config] of Object.entries({ ...given, ...dynamic })) {
    const ofOptions = Object.hasOwn(configs, name) ? 'option' : 'project';
    const source = Object.hasOwn(dynamic, name) ? 'dynamic' : ofOptions;
    const connected = begin(name, config, source, disabled.includes(name));
    if ('alwaysLoad' in config && config.alwaysLoad) awaited.push(connected);
  }
  const listStatus = () => [...servers.values()].map(toStatus);
  /**
   * The states at the end of the session, because a host may ask for them after the last message.
   */
  let atLast: readonly McpServerStatus[] | undefined;
  const close = () => {
    atLast ??= listStatus();
    [...servers.values()].forEach(end);
  };
  signal.addEventListener('abort', close, { once: true });
  if (awaited.length > 0) await settled(Promise.allSettled(awaited), clock, firstWaitMs);

  /** Rejects with the reason if the server can't be connected. */
  function begin(
    name: string,
    config: McpServerConfig,
    source: McpServerSource,
    isDisabled = false,
  ): Promise<void> {
    const server: Server = {
      name,
      config,
      source,
      state: isDisabled ? 'disabled' : 'pending',
      tools: [],
      failures: 0,
      controller: new AbortController(),
    };
    servers.set(name, server);
    if (isDisabled) return Promise.resolve();
    if (config.type === 'sdk') take(server, config.instance);
    if (server.state === 'connected') return Promise.resolve();
    const connected = connect(server);
    // The reason is in the server's status.
    connected.catch(() => undefined);
    return connected;
  }

  function requireLogins(name?: string): McpLogins {
    if (client?.logins) return client.logins;
    throw new SdkError(
      'bad-usage',
      'Nobody logs in to MCP servers here: give the host `mcp.login`, or the server a header Authorization.',
      { data: { server: name } },
    );
  }

  function requireUrl({ name, config }: Server): string {
    if (config.type === 'http' || config.type === 'sse') return config.url;
    throw refuse(name, `nobody logs in to a server of the type ${config.type}`);
  }

  async function connect(server: Server): Promise<void> {
    const { config, name } = server;
    if (config.type === 'sdk') {
      take(server, config.instance);
      return;
    }
    if (!client) throw noClient(name);
    const controller = new AbortController();
    server.controller = controller;
    server.state = 'pending';
    server.error = undefined;
    const isCurrent = () => server.controller === controller && !controller.signal.aborted;
    try {
      const connection = await client.connect(name, config, {
        source: server.source,
        signal: AbortSignal.any([controller.signal, signal]),
        onTools: () => isCurrent() && server.instance && take(server, server.instance),
        onLost: (error) => isCurrent() && fail(server, error),
        abilities: exchange.abilities,
        onQuestion: (question, cut) => exchange.onQuestion(name, question, cut),
        onEvent: (event) => isCurrent() && exchange.onEvent(name, event),
      });
      if (isCurrent()) {
        server.connectedAt = clock.now();
        take(server, connection);
        exchange.onConnected({ name, ask: connection.ask });
      } else await connection.close();
    } catch (error) {
      if (isCurrent()) fail(server, error);
      throw error;
    }
  }

  async function connectAgain(server: Server): Promise<void> {
    end(server);
    server.failures = 0;
    await connect(server);
  }

  function take(server: Server, instance: McpServerInstance | RemoteMcpServer): void {
    server.tools = instance.toTools(server.name);
    server.instance = instance;
    server.state = 'connected';
    const problems = 'problems' in instance ? instance.problems : [];
    server.error = problems.length > 0 ? problems.join(' ') : undefined;
    exchange.onChanged();
    tell();
  }

  function fail(server: Server, error: unknown): void {
    const needsAuth = SdkError.isInstance(error) && error.data?.['needsAuth'] === true;
    server.state = needsAuth ? 'needs-auth' : 'failed';
    server.error = messageOf(error);
    server.instance = undefined;
    server.tools = [];
    const { connectedAt = Infinity } = server;
    if (clock.now() - connectedAt >= steadyMs) server.failures = 0;
    delete server.connectedAt;
    server.failures += 1;
    exchange.onChanged();
    tell();
    if (needsAuth || server.failures > maxTries || signal.aborted) return;
    const again = clock.after(firstDelayMs * 2 ** (server.failures - 1), () => {
      // The reason of another failure is in the server's status.
      connect(server).catch(() => undefined);
    });
    const stop = () => again[Symbol.dispose]();
    // The session's end aborts it, too.
    server.controller.signal.addEventListener('abort', stop, { once: true });
  }

  function end(server: Server): void {
    server.controller.abort();
    const { instance } = server;
    server.instance = undefined;
    server.tools = [];
    // Errors of a connection during its close are ignored: nobody uses it any more.
    if (instance && 'close' in instance) instance.close().catch(() => undefined);
    tell();
  }

  /** Waits until `isSo` gives false, the time has passed, or the signal is aborted. */
  async function waitWhile(isSo: () => boolean, ms: number, waiting: AbortSignal): Promise<void> {
    const over = createDeferred();
    const check = () => void ((waiting.aborted || !isSo()) && over.resolve());
    watchers.add(check);
    waiting.addEventListener('abort', check);
    check();
    try {
      await settled(over.promise, clock, ms);
    } finally {
      watchers.delete(check);
      waiting.removeEventListener('abort', check);
    }
  }

  function allTools(): Tools {
    return [...servers.values()].flatMap(({ tools }) => tools);
  }

  function find(name: string): Server {
    const server = servers.get(name);
    if (server) return server;
    const names = [...servers.keys()].join(', ');
    throw new SdkError(
      'bad-usage',
      `There is no MCP server ${name}. ${names === '' ? 'There are none.' : `There are: ${names}.`}`,
      { data: { server: name } },
    );
  }

  const self: McpServers = {
    close,
    exchange,
    hasResources: ({ permissions }) => listResourceServers(self, permissions).length > 0,
    toResources: (agent, cut) => createMcpResources(self, agent, cut),
    isElsewhere: () => [...servers.values()].some(({ config }) => config.type !== 'sdk'),
    async wait(names, ms, waiting) {
      const wanted = names ?? [...servers.values()].filter(isPending).map(({ name }) => name);
      for (const name of wanted) find(name);
      const meant = () => wanted.flatMap((name) => servers.get(name) ?? []);
      if (meant().some(isPending)) await waitWhile(() => meant().some(isPending), ms, waiting);
      waiting.throwIfAborted();
      return meant().map(toStatus);
    },
    tools() {
      const taken = new Set<string>();
      return allTools().filter(({ name }) => !taken.has(name) && taken.add(name));
    },
    connected: () =>
      [...servers.values()].flatMap(({ name, instance }) => {
        if (!instance?.ask || !instance.extras) return [];
        const { ask, extras } = instance;
        const forApps = 'toAppTools' in instance && { toAppTools: instance.toAppTools };
        return [{ name, server: { ask, extras, ...forApps } }];
      }),
    status: () => atLast ?? listStatus(),
    changes() {
      const all = [...servers.values()];
      const dynamic = all.filter(({ source }) => source === 'dynamic');
      const disabled = all.filter(({ state }) => state === 'disabled');
      return {
        dynamic: Object.fromEntries(dynamic.map(({ name, config }) => [name, config])),
        disabled: disabled.map(({ name }) => name),
      };
    },
    notes: () => [...servers.values()].map(toNote),
    async set(wanted) {
      const kept = [...servers.values()].filter(({ source }) => source !== 'dynamic');
      checkServers(
        wanted,
        kept.map(({ name }) => name),
        client,
      );
      const removed = [...servers.values()].filter(
        ({ name, source, config }) => source === 'dynamic' && !isSame(wanted[name], config),
      );
      for (const server of removed) {
        end(server);
        servers.delete(server.name);
      }
      const added = Object.entries(wanted).filter(([name]) => !servers.has(name));
      const results = await Promise.allSettled(
        added.map(([name, config]) => begin(name, config, 'dynamic')),
      );
      const errors = results.flatMap((result, at) =>
        result.status === 'rejected'
          ? [[added[at]?.[0] ?? '', messageOf(result.reason)] as const]
          : [],
      );
      return {
        added: added.map(([name]) => name),
        removed: removed.map(({ name }) => name),
        errors: Object.fromEntries(errors),
      };
    },
    reconnect: async (name) => connectAgain(find(name)),
    async login(name) {
      const server = find(name);
      const login = await requireLogins(name).begin(requireUrl(server), signal);
      if (login.url !== undefined) return login;
      await connectAgain(server);
      return login;
    },
    async completeLogin(callbackUrl) {
      const url = await requireLogins().complete(callbackUrl, signal);
      const meant = [...servers.values()].filter(
        ({ config, state }) => 'url' in config && config.url === url && state !== 'disabled',
      );
      await Promise.all(meant.map((server) => connectAgain(server)));
    },
    async logout(name) {
      const server = find(name);
      await requireLogins(name).forget(requireUrl(server), signal);
      end(server);
      server.state = 'needs-auth';
      server.error = 'You have logged out.';
    },
    async toggle(name, isEnabled) {
      const server = find(name);
      if (isEnabled === (server.state !== 'disabled')) return;
      end(server);
      server.state = 'disabled';
      server.error = undefined;
      server.failures = 0;
      if (isEnabled) await connect(server);
      else exchange.onChanged();
    },
  };
  return self;
}

/** Compares by value, because configs from another tab or the wire are copies. */
function isSame(wanted: McpServerConfig | undefined, config: McpServerConfig): boolean {
  if (wanted === config) return true;
  const isPlain = config.type === 'http' || config.type === 'sse' || config.type === 'ws';
  return isPlain && JSON.stringify(wanted) === JSON.stringify(config);
}

const isPending = ({ state }: Server) => state === 'pending';

function toStatus({ name, state, instance, tools, error }: Server): McpServerStatus {
  return {
    name,
    status: state,
    ...(instance && { serverInfo: { name: instance.name, version: instance.version } }),
    ...(error !== undefined && { error }),
    ...(state === 'connected' && {
      tools: tools.map((tool) => ({ name: tool.mcpInfo?.toolName ?? tool.name })),
    }),
  };
}

function toNote({ name, state, error = '', instance }: Server): ServerNote {
  switch (state) {
    case 'connected':
      return { name, instructions: instance?.instructions ?? '' };
    case 'pending':
      return {
        name,
        state:
          'It is being connected: its tools are not there yet. WaitForMcpServers waits for them.',
      };
    case 'needs-auth':
      return { name, state: 'It wants a login: its tools are not there. Tell the user.' };
    case 'failed':
      return { name, state: `It could not be reached, and its tools are not there. ${error}` };
    case 'disabled':
      return { name, state: 'It is switched off: its tools are not there.' };
  }
}

/** Resolves when the work has ended, or after that time. */
async function settled(work: Promise<unknown>, clock: Clock, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const waiting = clock.after(ms, resolve);
    void work.then(() => {
      waiting[Symbol.dispose]();
      resolve();
    });
  });
}
