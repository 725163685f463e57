// The parts of a session whose code is fetched only for a query that uses them. They are servers,
// skills, commands of files, kinds of agents, plugins, pull requests and triggers. Used by
// create-session.ts.
import { builtInCommandNames } from '../core/commands/command-names.ts';
import type { SkillCatalog } from '../core/commands/skill.ts';
import type { CommandFilesOptions } from './commands/command-files.ts';
import type { CommandSource } from './commands/commands.ts';
import { createSkillCommands } from './commands/skill-commands.ts';
import { createReadCheck } from './context/read-judge.ts';
import type { SessionStart } from './create-session.ts';
import type { SessionPullRequests } from './forge/pull-requests.ts';
import type { SessionJournal } from './journal/session-journal.ts';
import type { FoundPlugins } from './plugins/plugin.ts';
import type { QueryOptions } from './query-options.ts';
import type { RootFiles } from './session/files/session-root.ts';
import type { McpServers } from './session/mcp/mcp-servers.ts';
import type { ProjectServersPlace, WorkspaceServers } from './session/mcp/workspace-servers.ts';
import type { SessionIds } from './session/session-ids.ts';
import type { ServerChanges } from './session/server-changes.ts';
import type { Session } from './session/session.ts';
import type { DefinitionScope } from './session/settings/definition-scopes.ts';
import type { WorkspaceTrust } from './session/settings/workspace-trust.ts';
import { noSkills } from './skills/no-skills.ts';
import { readTriggers } from './triggers/triggers-option.ts';
import type { SessionTools } from './session/settings/tool-aliases.ts';

interface CommandPorts {
  readonly skills: SkillCatalog;
  readonly hasSkillTool: () => boolean;
  readonly servers: () => McpServers | undefined;
  readonly files: Omit<CommandFilesOptions, 'cwd' | 'source' | 'plugin'>;
}

/**
 * Lists the sources of commands. Of two commands with one name, that of the earlier source counts. Security: a file of
 * the workspace must not take the place of what the host gives, so files come last.
 */
export async function listCommandSources(
  scopes: readonly DefinitionScope[],
  { permissions, signal }: SessionStart,
  { skills, hasSkillTool, servers, files }: CommandPorts,
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
    createCommandFiles({ ...files, source, cwd: directory, plugin }),
  );
  return [...ofHost, ...ofFiles];
}

interface SkillPorts {
  readonly fs: RootFiles;
  readonly scopes: readonly DefinitionScope[];
  readonly trust: WorkspaceTrust;
  readonly tools: SessionTools;
  /** Undefined: the query begins without. */
  readonly servers: (() => McpServers | undefined) | undefined;
  readonly warn: (message: string) => void;
}

/** Loads the skills of the workspace, of servers and of the host's sources. */
export async function loadSkills(
  options: QueryOptions,
  { cwd, permissions, signal }: SessionStart,
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

/** Loads what finds the workspace's kinds of agents. Undefined: the query doesn't read them. */
export async function loadAgentFinder(
  options: QueryOptions,
  { cwd, permissions }: SessionStart,
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

interface ServersPlace {
  readonly cwd: string;
  /** Aborted with the session. */
  readonly signal: AbortSignal;
  /** The session; undefined while it is being made. */
  readonly session: () => Session | undefined;
  /** The servers of the workspace's `.mcp.json`. */
  readonly ofProject?: NonNullable<QueryOptions['mcpServers']>;
  readonly changes?: ServerChanges | undefined;
}

/** Loads the code of MCP, for a query that has servers. */
export async function loadMcpServers(
  servers: NonNullable<QueryOptions['mcpServers']>,
  { host, samplingModel }: Pick<QueryOptions, 'host' | 'samplingModel'>,
  { cwd, signal, session, ofProject = {}, changes }: ServersPlace,
): Promise<McpServers> {
  const [{ createMcpServers }, { createMcpExchange }] = await Promise.all([
    import('./session/mcp/mcp-servers.ts'),
    import('./session/mcp/mcp-exchange.ts'),
  ]);
  const showsApps = host.appFrame !== undefined;
  const exchange = createMcpExchange(session, { cwd, samplingModel, showsApps }, signal);
  return createMcpServers(servers, {
    client: host.mcp,
    clock: host.clock,
    signal,
    exchange,
    ofProject,
    changes,
  });
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

/** Reads the plugins that the query names. */
export async function findPlugins(
  { plugins = [] }: QueryOptions,
  fs: RootFiles,
  cwd: string,
): Promise<FoundPlugins> {
  if (plugins.length === 0) return { plugins: [], errors: [] };
  const { readPlugins } = await import('./plugins/read-plugins.ts');
  return readPlugins(plugins, { fs, cwd });
}

/** Loads the code of pull requests, for a query with a forge. */
export async function openPullRequests(
  { forge, host }: QueryOptions,
  { permissions, signal }: SessionStart,
  journal: SessionJournal,
): Promise<SessionPullRequests | undefined> {
  if (!forge) return undefined;
  const { createPullRequests } = await import('./forge/pull-requests.ts');
  const { clock } = host;
  const taint = () => permissions.taint('SubscribePr');
  return createPullRequests({ forge, journal, clock, taint, signal });
}

/** Loads the code of triggers, for a query that schedules prompts. */
export async function openTriggers(
  { triggers, host }: QueryOptions,
  { hasOnePrompt }: SessionStart,
  journal: SessionJournal,
  ids: SessionIds,
): Promise<Pick<Session, 'crons' | 'wakeups'>> {
  const read = readTriggers(triggers);
  if (!read) return {};
  const [{ createCronJobs }, { createWakeups }] = await Promise.all([
    import('./triggers/cron-jobs.ts'),
    import('./triggers/wakeups.ts'),
  ]);
  const ports = { journal, clock: host.clock, ids, hasOnePrompt, ...read };
  return { crons: createCronJobs(ports), wakeups: createWakeups(ports) };
}

/** Checks the servers of agents' definitions. @throws SdkError `bad-usage` if one can't be used. */
export async function checkServersOfAgents(options: QueryOptions): Promise<void> {
  if (!Object.values(options.agents ?? {}).some(({ mcpServers }) => mcpServers?.length)) return;
  const { checkAgentServers } = await import('./agents/agent-servers.ts');
  checkAgentServers(options);
}
