// What a session loads of its definitions: plugins, skills, commands, sub-agents and MCP servers of the scopes that are
// switched on. Each is a feature of its own, whose code is fetched for a query that may have some. Used by
// create-session.ts.
import { builtInCommandNames } from '../core/commands/command-names.ts';
import type { SkillCatalog } from '../core/commands/skill.ts';
import type { CommandFilesOptions } from './commands/command-files.ts';
import type { CommandSource } from './commands/commands.ts';
import { createSkillCommands } from './commands/skill-commands.ts';
import { createReadCheck } from './context/read-judge.ts';
import type { PermissionState } from './permissions/permission-state.ts';
import type { FoundPlugins } from './plugins/plugin.ts';
import type { QueryOptions } from './query-options.ts';
import type { RootFiles } from './session/files/session-root.ts';
import type { McpServers } from './session/mcp/mcp-servers.ts';
import type { ProjectServersPlace, WorkspaceServers } from './session/mcp/workspace-servers.ts';
import type { DefinitionScope } from './session/settings/definition-scopes.ts';
import type { WorkspaceTrust } from './session/settings/workspace-trust.ts';
import { noSkills } from './skills/no-skills.ts';
import type { SessionTools } from './turn/choose-tools.ts';

/** Whose session it is for. */
interface DefinitionReader {
  readonly cwd: string;
  readonly permissions: PermissionState;
  /** Aborted with the session. */
  readonly signal: AbortSignal;
}

/** Reads the servers of the workspace's `.mcp.json`, if the source `project` is on, and those of plugins. */
export async function readServersOfScopes(
  { mcpServers = {}, host }: QueryOptions,
  scopes: readonly DefinitionScope[],
  place: Omit<ProjectServersPlace, 'cwd' | 'plugin'>,
): Promise<WorkspaceServers> {
  let found: WorkspaceServers = { servers: {}, problems: [] };
  for (const { source, directory: cwd, plugin } of scopes) {
    if (source === 'user') continue;
    const { readWorkspaceServers } = await import('./session/mcp/workspace-servers.ts');
    const given = { ...found.servers, ...mcpServers };
    const read = await readWorkspaceServers({ ...place, cwd, plugin }, given, host.mcp);
    found = {
      servers: { ...found.servers, ...read.servers },
      problems: [...found.problems, ...read.problems],
    };
  }
  return found;
}

/** Loads the code of plugins, for a query that has some. */
export async function findPlugins(
  { plugins = [] }: QueryOptions,
  fs: RootFiles,
  cwd: string,
): Promise<FoundPlugins> {
  if (plugins.length === 0) return { plugins: [], errors: [] };
  const { readPlugins } = await import('./plugins/read-plugins.ts');
  return readPlugins(plugins, { fs, cwd });
}

/** What the skills of a session are found by. */
export interface SkillPorts {
  readonly fs: RootFiles;
  readonly scopes: readonly DefinitionScope[];
  readonly trust: WorkspaceTrust;
  readonly tools: SessionTools;
  /** Undefined: the query begins without. */
  readonly servers: (() => McpServers | undefined) | undefined;
  readonly warn: (message: string) => void;
}

/** Finds the skills of the host, of servers and of the scopes. */
export async function loadSkills(
  options: QueryOptions,
  { cwd, permissions, signal }: DefinitionReader,
  { fs, scopes, trust, tools, servers, warn }: SkillPorts,
): Promise<SkillCatalog> {
  const { skillSources = [], skills: chosen, host } = options;
  if (scopes.length === 0 && !servers && skillSources.length === 0) return noSkills;
  const ofServers = servers && (await import('./skills/server-skills.ts'));
  const { createSkillCatalog } = await import('./skills/skill-catalog.ts');
  const mayRead = createReadCheck(cwd, permissions.current);
  const toolNames = [...tools.builtInTools, ...tools.ownTools, ...tools.unchosenTools];
  return createSkillCatalog({
    sources: [
      ...skillSources,
      ...(ofServers ? [ofServers.createServerSkills(servers, permissions)] : []),
    ],
    scopes: scopes.map(({ source, directory, plugin }) => ({
      source: plugin ? `plugin ${plugin.name}` : source === 'user' ? source : 'workspace',
      ...{ fs, cwd: directory, plugin, trust, mayRead },
    })),
    chosen,
    reserved: new Map([
      ...toolNames.map(({ name }) => [name, `the tool ${name}`] as const),
      ...[...builtInCommandNames].map((name) => [name, `the command /${name}`] as const),
    ]),
    clock: host.clock,
    signal,
    warn,
  });
}

/** What finds the kinds of sub-agents in files. Undefined: no scope is on. */
export async function loadAgentFinder(
  options: QueryOptions,
  { cwd, permissions }: DefinitionReader,
  fs: RootFiles,
  scopes: readonly DefinitionScope[],
) {
  if (scopes.length === 0) return undefined;
  const { createWorkspaceAgents } = await import('./agents/workspace-agents.ts');
  const mayRead = createReadCheck(cwd, permissions.current);
  const places = scopes.map(({ source, directory, plugin }) => ({
    ...{ source, fs, cwd: directory, plugin, mayRead },
  }));
  return createWorkspaceAgents(places, Object.keys(options.mcpServers ?? {}));
}

/**
 * In the order in which they win where two have one name. Security: a file of the workspace must not take the place of
 * what the host gives, so skills come first.
 */
export async function listCommandSources(
  scopes: readonly DefinitionScope[],
  skills: SkillCatalog,
  permissions: PermissionState,
  hasSkillTool: () => boolean,
  servers: () => McpServers | undefined,
  signal: AbortSignal,
  place: Omit<CommandFilesOptions, 'cwd' | 'source' | 'plugin'>,
): Promise<readonly CommandSource[]> {
  const rules = () => permissions.current().rules;
  const ofSkills = skills === noSkills ? [] : [createSkillCommands(skills, rules, hasSkillTool)];
  const ofServers: CommandSource = async () => {
    const connected = servers();
    if (!connected) return { commands: [], problems: [] };
    const { listPromptCommands } = await import('./commands/prompt-commands.ts');
    return listPromptCommands(connected, permissions, signal);
  };
  const ofHost = [...ofSkills, ofServers];
  if (scopes.length === 0) return ofHost;
  const { createCommandFiles } = await import('./commands/command-files.ts');
  const ofFiles = scopes.map(({ source, directory, plugin }) =>
    createCommandFiles({ ...place, source, cwd: directory, plugin }),
  );
  return [...ofHost, ...ofFiles];
}
