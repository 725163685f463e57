// Checks whether MCP servers can be used: their names, their addresses, their policies. Used by
// mcp-servers.ts, and by code that takes descriptions of servers.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import { SdkError } from '../../../core/errors.ts';
import type {
  McpClientPort,
  McpRemoteServerConfig,
  McpRemoteServerOptions,
  McpServerConfig,
  McpServerInstance,
} from '../../../core/mcp/mcp-server.ts';
import { toApiName } from '../../../core/mcp/mcp-tool-name.ts';
import type { Tools } from '../../../core/tool/tool.ts';
import { isRecord } from '../../../core/values/is-record.ts';

/**
 * Checks that the servers can be used here, and together.
 * @throws SdkError `bad-usage`, as `createMcpServers`
 */
export function checkMcpServers(
  configs: Readonly<Record<string, McpServerConfig>>,
  client: McpClientPort | undefined,
): void {
  checkServers(configs, [], client);
  const inProcess = Object.entries(configs).flatMap(([name, config]) =>
    config.type === 'sdk' ? config.instance.toTools(name) : [],
  );
  checkToolNames(inProcess);
}

/**
 * Checks server configs from an untyped caller. `others`: names that are taken. Throws like
 * {@link checkMcpServers}.
 */
export function checkServers(
  configs: Readonly<Record<string, McpServerConfig>>,
  others: readonly string[],
  client: McpClientPort | undefined,
): void {
  const twice = Object.keys(configs).find((name) => others.includes(name));
  if (twice !== undefined) {
    throw refuse(
      twice,
      "a server of that name stands in the query's options: give it another name",
    );
  }
  checkServerNames([...others, ...Object.keys(configs)]);
  for (const [name, config] of Object.entries(configs)) checkConfig(name, config, client);
}

// Security: a rule for one server must not match another by accident. `my.notes` and `my_notes` are
// normalised to the same name. The tools of `a__b` could have the same names as tools of `a`.
function checkServerNames(names: readonly string[]): void {
  for (const [at, one] of names.entries()) {
    for (const other of names.slice(at + 1)) {
      const [short, long] = one.length <= other.length ? [one, other] : [other, one];
      const [start, whole] = [toApiName(short), toApiName(long)];
      if (start !== whole && !whole.startsWith(`${start}__`)) continue;
      const why =
        start === whole
          ? `both come to mcp__${start}`
          : `mcp__${whole} reads as a tool of the server ${short}`;
      throw new SdkError(
        'bad-usage',
        `The MCP servers ${one} and ${other} can't be used together: ${why}. Give one of them another name.`,
        { data: { servers: [one, other] } },
      );
    }
  }
}

/** Finds tools that still have the same name: `a_` with a tool `x`, and `a` with a tool `_x`. */
function checkToolNames(tools: Tools): void {
  const servers = new Map<string, string>();
  for (const { name, mcpInfo } of tools) {
    const server = mcpInfo?.serverName ?? '';
    const other = servers.get(name);
    if (other !== undefined) {
      throw new SdkError(
        'bad-usage',
        `The MCP servers ${other} and ${server} each have a tool that comes to ${name}. Give one of them another name.`,
        { data: { servers: [other, server], toolName: name } },
      );
    }
    servers.set(name, server);
  }
}

function checkConfig(
  name: string,
  config: McpServerConfig,
  client: McpClientPort | undefined,
): void {
  // The config may come from an untyped caller, or be of a kind that only the SDK has.
  if (!isRecord(config)) {
    throw refuse(name, "its configuration is an object, such as { type: 'http', url }");
  }
  const { type = 'stdio', instance } = config as { type?: string; instance?: unknown };
  if (['http', 'sse', 'ws', 'port', 'webmcp'].includes(type)) {
    checkRemote(name, config as McpRemoteServerConfig);
    if (!client) throw noClient(name);
    if (type === 'webmcp' && !client.hasPage) {
      throw refuse(name, `there is no page here whose tools could be used: ${whatCan}`);
    }
    return;
  }
  if (type === 'sdk') checkOptionNames(toPlace(name), config, knownOf.sdk);
  const isOurs = typeof (instance as McpServerInstance | undefined)?.toTools === 'function';
  if (type === 'sdk' && isOurs) {
    // Called here because it throws if its names are too long.
    (instance as McpServerInstance).toTools(name);
    return;
  }
  const hasUrl = type === 'stdio' && 'url' in config;
  const why = hasUrl
    ? "it has a url and no type that reaches one: write type: 'http', or 'sse' for the older form"
    : type === 'sdk'
      ? "its instance isn't one of rockpool/mcp: make it by createSdkMcpServer"
      : type === 'stdio'
        ? `there are no processes here: ${whatCan}`
        : `servers by ${type} can't be reached: ${whatCan}`;
  throw refuse(name, why);
}

export function noClient(name: string): SdkError {
  return refuse(name, 'this host reaches no servers elsewhere: it has no port `mcp`');
}

const whatCan =
  'use a server by http, sse or ws, one behind a MessagePort (port), or offer its tools by createSdkMcpServer of rockpool/mcp';

type ServerType = McpServerConfig['type'];
type ConfigOf<T, C = McpServerConfig> = C extends { readonly type: infer U }
  ? T extends U
    ? C
    : never
  : never;

const knownOfRemote = {
  type: true,
  timeout: true,
  alwaysLoad: true,
  trustAnnotations: true,
  tools: true,
} satisfies Record<keyof McpRemoteServerOptions | 'type', true>;

/** The fields of each type. */
const knownOf = {
  sdk: { type: true, name: true, instance: true },
  http: { ...knownOfRemote, url: true, headers: true },
  sse: { ...knownOfRemote, url: true, headers: true },
  // With headers: they are refused with a reason of their own.
  ws: { ...knownOfRemote, url: true, headers: true },
  port: { ...knownOfRemote, port: true },
  webmcp: { ...knownOfRemote, fromOrigins: true, modelContext: true },
} satisfies {
  readonly [T in ServerType]: Record<keyof ConfigOf<T>, true> & { readonly headers?: true };
};

const toPlace = (name: string) => `The MCP server ${name}`;

/** The fields of a server's description that its type doesn't have. */
export function listUnknownFields(config: Readonly<Record<string, unknown>>): readonly string[] {
  const known: object | undefined = Object.hasOwn(knownOf, String(config['type']))
    ? knownOf[config['type'] as ServerType]
    : undefined;
  if (!known) return [];
  return Object.keys(config).filter((field) => !Object.hasOwn(known, field));
}

function checkRemote(name: string, config: McpRemoteServerConfig): void {
  checkOptionNames(toPlace(name), config, knownOf[config.type]);
  if (config.type === 'port') {
    // The port may come from an untyped caller.
    const { port } = config as Partial<typeof config>;
    if (typeof port?.postMessage !== 'function' || typeof port.addEventListener !== 'function') {
      throw refuse(name, 'its port must be a MessagePort');
    }
  } else if (config.type === 'webmcp') checkOrigins(name, config.fromOrigins);
  else checkAddress(name, config);
  const { timeout, tools } = config;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw refuse(name, 'its timeout must be a number of milliseconds above 0');
  }
  if (tools !== undefined) checkPolicies(name, tools);
}

// Security: `*` would accept the tools of every frame, such as an advertisement.
function checkOrigins(name: string, origins: unknown = []): void {
  const isOrigin = (one: unknown) => typeof one === 'string' && URL.parse(one)?.origin === one;
  if (Array.isArray(origins) && origins.every(isOrigin)) return;
  throw refuse(name, 'its fromOrigins must be a list of origins, such as https://example.com');
}

type AddressedConfig = Exclude<McpRemoteServerConfig, { readonly type: 'port' | 'webmcp' }>;

function checkAddress(name: string, config: AddressedConfig): void {
  const { url, type } = config;
  const address = typeof url === 'string' ? URL.parse(url) : null;
  const schemes = type === 'ws' ? /^wss?:$/u : /^https?:$/u;
  if (!address || !schemes.test(address.protocol)) {
    const wanted = type === 'ws' ? 'wss: or ws:' : 'https: or http:';
    throw refuse(name, `its url must be an absolute one with ${wanted}`);
  }
  if (address.username !== '' || address.password !== '') {
    throw refuse(name, 'its url has a user or a password: give a header Authorization instead');
  }
  const { headers = {} } = config as { readonly headers?: unknown };
  if (!isRecord(headers) || Object.values(headers).some((value) => typeof value !== 'string')) {
    throw refuse(name, 'its headers must be texts by name');
  }
  const wrong = Object.entries(headers).find(([header, value]) => !isHeader(header, value));
  if (wrong) {
    throw refuse(name, `its header ${wrong[0]} has characters that a header can't have`);
  }
  if (type === 'ws' && Object.keys(headers).length > 0) {
    throw refuse(
      name,
      'a WebSocket takes no headers: use http, or give the server a login of its own',
    );
  }
}

/**
 * False for an invalid value, such as a key that was pasted with a curly quote. `fetch` would
 * refuse it without naming the header.
 */
function isHeader(name: string, value: unknown): boolean {
  try {
    return new Headers({ [name]: String(value) }).has(name);
  } catch {
    return false;
  }
}

const policies: ReadonlySet<unknown> = new Set(['always_allow', 'always_ask', 'always_deny']);

// Security: a misspelt policy must not leave a tool without a policy.
function checkPolicies(server: string, tools: unknown): void {
  const isPolicy = (one: unknown) =>
    isRecord(one) &&
    Object.keys(one).every((field) => field === 'name' || field === 'permission_policy') &&
    typeof one['name'] === 'string' &&
    (one['permission_policy'] === undefined || policies.has(one['permission_policy']));
  if (Array.isArray(tools) && tools.every(isPolicy)) return;
  throw refuse(
    server,
    `its tools must be a list of { name, permission_policy }, with one of ${[...policies].join(', ')}`,
  );
}

export function refuse(name: string, why: string): SdkError {
  return new SdkError('bad-usage', `The MCP server ${name} can't be used: ${why}.`, {
    data: { server: name },
  });
}
