// The definition of the tool TeamDelete. It has no worker half, because a team belongs to the
// session.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { listTasks, readRecordedTasks } from '../../core/session/task-list.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { teamDeleteDescription, teamDeletePrompt, teamDeleteToolName } from './prompt.ts';
import {
  teamDeleteInputSchema,
  teamDeleteOutputSchema,
  type TeamDeleteInput,
  type TeamDeleteOutput,
} from './schema.ts';

export const teamDeleteTool = buildTool({
  name: teamDeleteToolName,
  searchHint: 'end the team of agents',
  shouldDefer: true,
  get inputSchema() {
    return teamDeleteInputSchema();
  },
  get outputSchema() {
    return teamDeleteOutputSchema();
  },

  description: (input) => Promise.resolve(input ? 'Delete the team' : teamDeleteDescription),
  prompt: () => Promise.resolve(teamDeletePrompt),

  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,

  call: deleteTeam,

  userFacingName: () => 'Delete team',
  getActivityDescription: () => 'Deleting the team',
  toAutoClassifierInput: () => 'delete the team of agents',

  mapToolResultToToolResultBlockParam: ({ team_name, running, undone }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: [
      `The team ${team_name} is deleted.`,
      running.length > 0 ? `Still running: ${running.join(', ')}.` : 'None of its members runs.',
      undone.length > 0
        ? `Still undone: ${undone.map(({ id, subject }) => `${id}. ${subject}`).join('; ')}.`
        : 'Nothing on the task list is undone.',
    ].join('\n'),
  }),
} satisfies ToolDef<ReturnType<typeof teamDeleteInputSchema>, TeamDeleteOutput>);

async function deleteTeam(
  _input: TeamDeleteInput,
  { agents, states }: CallContext,
): Promise<ToolResult<TeamDeleteOutput>> {
  const { name, members } = await agents.deleteTeam();
  const undone = listTasks(readRecordedTasks(states)).filter(
    ({ status }) => status !== 'completed',
  );
  return {
    data: {
      team_name: name,
      running: members.filter(({ isRunning }) => isRunning).map((member) => member.name),
      undone: undone.map(({ id, subject }) => ({ id, subject })),
    },
  };
}
