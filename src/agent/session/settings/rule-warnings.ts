// Finds deny and ask rules with an unknown tool, such as `Edti(src/**)`. They are kept, because the
// tool may come later. A person is warned, because a rule that should forbid an action must not be
// ignored silently. The tools in agent definitions are checked too.
import type { AgentListing } from '../../../core/agents/agents.ts';
import { toApiName } from '../../../core/mcp/mcp-tool-name.ts';
import type { PermissionRule } from '../../../core/permissions/permission.ts';
import { formatRule } from '../../../core/permissions/rule.ts';
import type { NamedTool } from '../../permissions/rules.ts';
import { findNearNames } from '../../../core/text/near-names.ts';
import { readCapability, replaceShell, ruleNamesTool } from '../../permissions/rules.ts';
import {
  coordinatorTools,
  keptLoaded,
  specialTools,
  toolGates,
} from '../../registry/tool-gates.ts';

/** The Claude Agent SDK's tools, and older names that its rules may have. */
const sdkNames: readonly string[] = [
  ...['Agent', 'Artifact', 'AskUserQuestion', 'Bash', 'ClaudeDesign', 'CronCreate', 'CronDelete'],
  ...['CronList', 'Edit', 'EndConversation', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode'],
  ...['ExitWorktree', 'Glob', 'Grep', 'ListAgents', 'ListMcpResourcesTool', 'LSP', 'Monitor'],
  ...['NotebookEdit', 'OfferChromeSetup', 'PowerShell', 'Projects', 'propose_skills'],
  ...['PushNotification', 'Read', 'ReadMcpResourceDirTool', 'ReadMcpResourceTool'],
  ...['ReadNotifications', 'RemoteTrigger', 'ReportFindings', 'ScheduleWakeup', 'SendFeedback'],
  ...['SendMessage', 'SendUserFile', 'SendUserMessage', 'SetGoal', 'ShareOnboardingGuide'],
  ...['ShowOnboardingRolePicker', 'Skill', 'SubagentHandback', 'TaskCreate', 'TaskGet', 'TaskList'],
  ...['TaskStop', 'TaskUpdate', 'TodoWrite', 'ToolSearch', 'WaitForMcpServers', 'WebFetch'],
  ...['WebSearch', 'Workflow', 'Write'],
  ...['Task', 'KillShell', 'KillBash', 'ListPeers', 'Brief', 'ListMcpResources', 'ReadMcpResource'],
  ...['ReadMcpResourceDir', 'ProposeGoal', 'TaskOutput', 'BashOutput', 'MultiEdit', 'LS'],
  ...['NotebookRead', 'SlashCommand'],
];

/** The known names that rules are compared with. */
export interface KnownTools {
  /** All tools of the session, offered or not. */
  readonly tools: readonly NamedTool[];
  /** The names of servers, as the query gives them. */
  readonly servers: readonly string[];
}

/** A sentence for each rule that matches no tool here, in the rules' order. */
export function listRuleWarnings(rules: readonly PermissionRule[], known: KnownTools): string[] {
  const all = listAll(known);
  const warnings = rules.flatMap((rule) => {
    if (rule.behavior === 'allow') return [];
    const capability = readCapability(rule.ruleContent);
    const names = [rule.toolName, ...(capability?.type === 'tools' ? [capability.name] : [])];
    return names.flatMap((name) => {
      const problem = explainName(name, all, known);
      if (problem === undefined) return [];
      return `The ${rule.behavior} rule ${formatRule(rule)} holds for nothing: ${problem}`;
    });
  });
  return [...new Set(warnings)];
}

/** A sentence for each unknown tool that agent definitions allow or deny. */
export function listAgentWarnings(agents: readonly AgentListing[], known: KnownTools): string[] {
  const all = listAll(known);
  return agents.flatMap(({ name: agent, tools = [], disallowedTools = [] }) =>
    Object.entries({ tools, disallowedTools }).flatMap(([field, names]) =>
      names.flatMap((name) => {
        // The tool may belong to a server of the agent.
        if (name.startsWith('mcp__')) return [];
        const problem = explainName(replaceShell(name), all, known);
        if (problem === undefined) return [];
        return `${field} of the agent ${agent} names ${name}, which means nothing: ${problem}`;
      }),
    ),
  );
}

function listAll(known: KnownTools): readonly NamedTool[] {
  const listed = [...sdkNames, ...coordinatorTools];
  for (const names of [toolGates, specialTools, keptLoaded]) listed.push(...names.keys());
  return [...known.tools, ...[...new Set(listed)].map((name) => ({ name }))];
}

/** The explanation of an unknown name. Undefined: a tool has that name, or may get it later. */
function explainName(
  ruleName: string,
  all: readonly NamedTool[],
  { servers }: KnownTools,
): string | undefined {
  if (all.some((tool) => ruleNamesTool(ruleName, tool))) return undefined;
  if (ruleName.startsWith('mcp__')) return explainServer(ruleName.slice('mcp__'.length), servers);
  const names = all.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const near = findNearNames(ruleName, [...new Set(names)]);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  const [server, ...tool] = ruleName.split('_');
  const form =
    server && tool.length > 0
      ? ` The tool of a server is named mcp__${server}__${tool.join('_')}.`
      : '';
  return `there is no tool named ${ruleName}.${hint}${form}`;
}

/** Sema Core joins server and tool with one `_`. Here such a name is the name of a whole server. */
function explainServer(rest: string, servers: readonly string[]): string | undefined {
  const [server, ...tool] = rest.split('_');
  const isSemas = !rest.includes('__') && !rest.includes('*') && server && tool.length > 0;
  if (!isSemas || servers.some((name) => toApiName(name) === rest)) return undefined;
  return `there is no server named ${rest}. The tool of a server is named mcp__${server}__${tool.join('_')}.`;
}
