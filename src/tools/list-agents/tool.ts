// The definition of the tool ListAgents. It has no worker half, because the session knows its
// agents.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { listAgentsDescription, listAgentsPrompt, listAgentsToolName } from './prompt.ts';
import { listAgentsInputSchema, listAgentsOutputSchema, type ListAgentsOutput } from './schema.ts';

// 50: as many as a session begins. With agents that a rewind has taken back there may be more.
const maxAgents = 50;

export const listAgentsTool = buildTool({
  name: listAgentsToolName,
  aliases: ['ListPeers'],
  searchHint: 'list the agents that run or can be written to',
  shouldDefer: true,
  get inputSchema() {
    return listAgentsInputSchema();
  },
  get outputSchema() {
    return listAgentsOutputSchema();
  },

  description: (input) => Promise.resolve(input ? 'List the agents' : listAgentsDescription),
  prompt: () => Promise.resolve(listAgentsPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),

  call: (_input, { agents, agentId }) => {
    const all = agents.list().map(({ depth: _, ...agent }) => ({
      ...agent,
      ...(agent.agentId === agentId && { isCaller: true as const }),
    }));
    return Promise.resolve({ data: { agents: all } });
  },

  userFacingName: () => 'List agents',
  getActivityDescription: () => 'Looking who works',

  mapToolResultToToolResultBlockParam: ({ agents }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content:
      agents.length === 0 ? 'No agent was begun in this session.' : toLines(agents).join('\n'),
  }),
} satisfies ToolDef<ReturnType<typeof listAgentsInputSchema>, ListAgentsOutput>);

/** The newest agents, if there are many. */
function toLines(agents: ListAgentsOutput['agents']): readonly string[] {
  const lines = agents
    .slice(-maxAgents)
    .map(({ agentId, name, agentType, description, parentId, isRunning, isCaller }) => {
      const facts = [
        agentType,
        isRunning ? 'runs' : 'at rest',
        ...(parentId === undefined ? [] : [`begun by ${parentId}`]),
        ...(isCaller ? ['yourself'] : []),
      ];
      return `${name === undefined ? agentId : `${name} (${agentId})`}: ${description} (${facts.join('; ')})`;
    });
  const left = agents.length - lines.length;
  return left > 0 ? [...lines, `${left} older ones are at rest or gone, and not shown.`] : lines;
}
