// The MCP servers of the workspace's `.mcp.json`, and of plugins. The workspace's author wrote that
// file, so its servers are used only after a person has trusted exactly this text. Loaded for
// queries with plugins or with 'project' in settingSources, and by workspace-trust.ts.
import { SdkError, messageOf } from '../../../core/errors.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { parseJsonFile } from '../../../core/text/parse-json-file.ts';
import { joinPath } from '../../../core/path.ts';
import { buildMcpToolName } from '../../../core/mcp/mcp-tool-name.ts';
import type {
  McpClientPort,
  McpRemoteServerConfig,
  McpServerConfig,
} from '../../../core/mcp/mcp-server.ts';
import { toManifestPath, toPluginName } from '../../plugins/plugin.ts';
import type { Plugin } from '../../plugins/plugin.ts';
import { checkMcpServers, listUnknownFields } from './check-mcp-servers.ts';
import type {
  DefinitionPlace,
  LooseningFile,
  WorkspaceTrust,
} from '../settings/workspace-trust.ts';

const fileName = '.mcp.json';

// 64 kB: a longer file was not written by hand. It is read before a person is asked.
const maxFileBytes = 64 * 1024;

/** The servers that may be used, and the reasons why others may not. */
export interface WorkspaceServers {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly problems: readonly string[];
}

/**
 * The file, if it has servers that could be used, because a person is asked about it. An unreadable
 * file loosens no permission.
 */
export async function listLooseningServers(
  place: DefinitionPlace,
): Promise<readonly LooseningFile[]> {
  try {
    const found = await readServersFile(place);
    const entries = found ? readEntries(found.text, place) : [];
    if (!found || entries.length === 0) return [];
    const servers = entries.map(({ name }) => name);
    return [{ ...found, allow: entries.flatMap(listAllowed), cannotHold: [], servers }];
  } catch {
    // The reason is reported when the file is read for use.
    return [];
  }
}

/**
 * The server's tools that run without a question, in the form of rules. A person sees them before
 * they trust the file.
 */
function listAllowed({ name, fields: { tools } }: ServerEntry): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const isAllowed = isRecord(tool) && tool['permission_policy'] === 'always_allow';
    return isAllowed
      ? [buildMcpToolName({ serverName: name, toolName: String(tool['name']) })]
      : [];
  });
}

/** The file's location, and the settings that choose among its servers. */
export interface ProjectServersPlace extends DefinitionPlace {
  readonly trust: WorkspaceTrust;
  /** The names of servers that settings disable. */
  readonly disabledServers: readonly string[];
}

/**
 * Never rejects: an invalid file of the workspace doesn't end the query. `given`: the query's own
 * servers, which have precedence.
 */
export async function readWorkspaceServers(
  place: ProjectServersPlace,
  given: Readonly<Record<string, McpServerConfig>>,
  client: McpClientPort | undefined,
): Promise<WorkspaceServers> {
  const problems: string[] = [];
  const servers: Record<string, McpServerConfig> = {};
  try {
    const found = await readServersFile(place);
    if (!found) return { servers, problems };
    if (!(await place.trust.isTrusted(found.path, found.text))) {
      const names = readEntries(found.text, place).map(({ name }) => name);
      if (names.length > 0) {
        problems.push(
          `The MCP servers in ${found.path} are not connected, as nobody has said that the file is trusted: ${names.join(', ')}.`,
        );
      }
      return { servers, problems };
    }
    for (const { name, fields } of readEntries(found.text, place)) {
      if (Object.hasOwn(given, name) || place.disabledServers.includes(name)) continue;
      try {
        const { config, others } = toConfig(name, fields);
        if (others.length > 0) {
          const list = others.join(', ');
          problems.push(
            `Of ${found.path}: the MCP server ${name} is used without ${list}, which it can't have.`,
          );
        }
        checkMcpServers({ ...given, ...servers, [name]: config }, client);
        servers[name] = config;
      } catch (error) {
        problems.push(`Of ${found.path}: ${messageOf(error)}`);
      }
    }
  } catch (error) {
    problems.push(`The MCP servers in ${toPath(place)} are left out: ${messageOf(error)}`);
  }
  return { servers, problems };
}

function toPath({ cwd, plugin }: DefinitionPlace): string {
  return plugin?.servers ?? joinPath(cwd, fileName);
}

async function readServersFile(
  place: DefinitionPlace,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const { fs, plugin } = place;
  if (plugin?.skipsServers) return undefined;
  const path = toPath(place);
  try {
    const { size } = await fs.stat(path);
    if (size > maxFileBytes) {
      throw new SdkError('invalid-input', `it has ${size} bytes, and may have ${maxFileBytes}.`);
    }
    return { path, text: await fs.readFile(path, 'utf8') };
  } catch (error) {
    if (SdkError.isInstance(error) && /^(?:ENOENT|ENOTDIR)$/u.test(error.code)) return undefined;
    throw error;
  }
}

interface ServerEntry {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Reads the entries of a file.
 * @throws SyntaxError or TypeError if the file isn't such a configuration
 */
function readEntries(text: string, { plugin }: DefinitionPlace): readonly ServerEntry[] {
  const file: unknown = parseJsonFile(text);
  // Many plugins have no `mcpServers` key: their file is the list itself.
  const isList = plugin && plugin.servers !== toManifestPath(plugin.directory);
  const otherwise = isList && isRecord(file) ? file : {};
  const entries = isRecord(file) ? (file['mcpServers'] ?? otherwise) : undefined;
  if (!isRecord(entries)) throw new TypeError('its mcpServers is no object.');
  return Object.entries(entries).map(([name, fields]) => ({
    name: plugin ? toServerName(plugin, name) : name,
    fields: isRecord(fields) ? fields : {},
  }));
}

/** Named as in Claude Code: its tools come to `mcp__plugin_review_notes__search`. */
function toServerName(plugin: Plugin, name: string): string {
  return `plugin:${toPluginName(plugin, name)}`;
}

/**
 * Security: fields that only the host may set are ignored. Variables aren't expanded, because a
 * host has no environment, and the header would give the variable's name to the server.
 * @throws SdkError `bad-usage` for a value with a variable in it
 */
function toConfig(
  name: string,
  fields: Readonly<Record<string, unknown>>,
): { readonly config: McpServerConfig; readonly others: readonly string[] } {
  if (/\$\{/u.test(JSON.stringify(fields))) {
    throw new SdkError(
      'bad-usage',
      `The MCP server ${name} can't be used: it has a variable, and none is put in. Give it by mcpServers.`,
      { data: { server: name } },
    );
  }
  const { trustAnnotations: _, port: _port, instance: _instance, ...rest } = fields;
  // The protocol's own name of this type, as in Claude Code.
  const type = rest['type'] === 'streamable-http' ? 'http' : rest['type'];
  // Other programs read the same file, and each has fields of its own.
  const others = listUnknownFields({ ...rest, type });
  const own = Object.fromEntries(Object.entries(rest).filter(([field]) => !others.includes(field)));
  // The form is checked later, together with that of the other servers.
  return { config: { ...own, type } as unknown as McpRemoteServerConfig, others };
}
