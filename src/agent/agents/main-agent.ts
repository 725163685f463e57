// The option `agent`: the session's main agent uses a definition of `agents`. It completes the options, and may
// remove tools. For query.ts, open-session.ts and create-session.ts.
import { SdkError } from '../../core/errors.ts';
import { suggestNames } from '../../core/text/near-names.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import type { QueryOptions } from '../query-options.ts';
import { replaceShell, ruleNamesTool } from '../permissions/rules.ts';
import { toSystemPrompt } from './definitions.ts';
import type { AgentDefinition } from './definitions.ts';

/** Fields that only sub-agents have, with the option that does the same for a session. */
const ofSubAgents: readonly (readonly [keyof AgentDefinition, string])[] = [
  ['hooks', 'give the hooks as an option of the query'],
  ['initialPrompt', 'begin the first prompt with it'],
  ['memory', 'give memory as an option of the query'],
  ['omitClaudeMd', 'leave settingSources out'],
  ['skills', 'let its prompt say which to call'],
];

/**
 * Completes the options by the definition of `agent`. They stay the same if no agent is named. The
 * definitions must have been checked.
 * @throws SdkError `bad-usage` for a name that `agents` doesn't have, and for a field that can't
 * hold for a session's own agent.
 */
export function asAgent(options: QueryOptions): QueryOptions {
  const { agent: name, agents = {}, models = {}, effort, permissionMode } = options;
  const definition = findMain(options);
  if (name === undefined) return options;
  if (!definition) {
    const known = Object.keys(agents);
    const hint = known.length > 0 ? suggestNames(String(name), known) : 'Give it there.';
    throw refuse(`agent is ${JSON.stringify(name)}, and agents has none of that name. ${hint}`);
  }
  if (options.systemPrompt !== undefined) {
    throw refuse(
      `The prompt of the agent ${name} is the system prompt. Leave systemPrompt out, or agent.`,
    );
  }
  const other = ofSubAgents.find(([field]) => definition[field] !== undefined);
  if (other) {
    throw refuse(
      `The agent ${name} has ${other[0]}, which holds for sub-agents alone: ${other[1]}.`,
    );
  }
  if (definition.mcpServers?.some((one) => typeof one !== 'string')) {
    throw refuse(
      `The agent ${name} has servers of its own, which sub-agents alone may have: give them as mcpServers of the query, and name them there.`,
    );
  }
  const { model: wanted = 'inherit' } = definition;
  const model = Object.hasOwn(models, wanted) ? models[wanted] : undefined;
  if (wanted !== 'inherit' && !model) {
    throw refuse(
      `The agent ${name} asks for the model "${wanted}", and models has none of that name. Give it there, or leave it out of the definition.`,
    );
  }
  const turns = [options.maxTurns, definition.maxTurns].filter((most) => most !== undefined);
  const level = definition.effort ?? effort;
  const mode = permissionMode ?? definition.permissionMode;
  return {
    ...options,
    systemPrompt: toSystemPrompt(definition),
    ...(model && { model }),
    ...(level && { effort: level }),
    ...(mode && { permissionMode: mode }),
    ...(turns.length > 0 && { maxTurns: Math.min(...turns) }),
  };
}

/** Says whether the agent that `agent` names has a tool. Undefined: it has all tools. */
export function toToolFilter(
  options: Pick<QueryOptions, 'agent' | 'agents'>,
): ((tool: KnownTools[number]) => boolean) | undefined {
  const { tools, disallowedTools = [], mcpServers = [] } = findMain(options) ?? {};
  if (!tools && disallowedTools.length === 0) return undefined;
  return (tool) => {
    const isNamed = (names: readonly string[]) =>
      names.some((name) => ruleNamesTool(replaceShell(name), tool));
    const server = 'mcpInfo' in tool ? tool.mcpInfo?.serverName : undefined;
    const isGiven = !tools || isNamed(tools) || mcpServers.includes(server ?? '');
    return isGiven && !isNamed(disallowedTools);
  };
}

function findMain({
  agent,
  agents = {},
}: Pick<QueryOptions, 'agent' | 'agents'>): AgentDefinition | undefined {
  return agent !== undefined && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
}

function refuse(message: string): SdkError {
  return new SdkError('bad-usage', message, { data: { option: 'agent' } });
}
