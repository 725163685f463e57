// The definition of the tool TeamCreate. It has no worker half, because a team belongs to the
// session.
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { teamCreateDescription, teamCreatePrompt, teamCreateToolName } from './prompt.ts';
import {
  teamCreateInputSchema,
  teamCreateOutputSchema,
  type TeamCreateInput,
  type TeamCreateOutput,
} from './schema.ts';

export const teamCreateTool = buildTool({
  name: teamCreateToolName,
  searchHint: 'make a team of agents that share work',
  shouldDefer: true,
  get inputSchema() {
    return teamCreateInputSchema();
  },
  get outputSchema() {
    return teamCreateOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Make the team ${input.team_name}` : teamCreateDescription),
  prompt: () => Promise.resolve(teamCreatePrompt),

  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,

  call: createTeam,
  resumeCall: createTeam,

  userFacingName: () => 'Create team',
  getToolUseSummary: ({ team_name }) => toSummary(team_name ?? '') || null,
  getActivityDescription: ({ team_name }) =>
    team_name === undefined ? null : `Making the team ${team_name}`,
  toAutoClassifierInput: ({ team_name, description = '' }) => `team ${team_name}: ${description}`,

  mapToolResultToToolResultBlockParam: ({ team_name }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `The team ${team_name} is there. Begin its members by Agent, each with a name.`,
  }),
} satisfies ToolDef<ReturnType<typeof teamCreateInputSchema>, TeamCreateOutput>);

async function createTeam(
  { team_name, description }: TeamCreateInput,
  { agents }: CallContext,
): Promise<ToolResult<TeamCreateOutput>> {
  // A call that was cut may have made the team already.
  const isMade = agents.team()?.name === team_name;
  if (!isMade) await agents.createTeam(team_name, description);
  return { data: { team_name } };
}
