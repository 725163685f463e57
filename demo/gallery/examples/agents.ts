// Calls of the tools by which agents and teams are begun and spoken to, and of skills.
import type { AgentInput, AgentOutput } from '../../../src/tools/agent/schema.ts';
import type {
  SendMessageInput,
  SendMessageOutput,
} from '../../../src/tools/send-message/schema.ts';
import type { SkillInput, SkillOutput } from '../../../src/tools/skill/schema.ts';
import type { TeamCreateInput, TeamCreateOutput } from '../../../src/tools/team-create/schema.ts';
import type { ListAgentsInput, ListAgentsOutput } from '../../../src/tools/list-agents/schema.ts';
import type { TeamDeleteInput, TeamDeleteOutput } from '../../../src/tools/team-delete/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const prompt = 'Find every place that rounds a duration, and say which of them rounds down.';

export const agentExample: ToolExample<AgentInput, AgentOutput> = {
  input: {
    description: 'Find what rounds',
    prompt,
    subagent_type: 'Explore',
    model: 'haiku',
    isolation: 'worktree',
  },
  output: {
    status: 'completed',
    agentId: 'a1',
    agentType: 'Explore',
    content: [
      {
        type: 'text',
        text: 'Two places round:\n\n1. `src/format.ts` rounds to the **nearest** minute.\n2. `src/units.ts` rounds **down**.',
      },
    ],
    resolvedModel: 'claude-haiku',
    modelsUsed: ['claude-haiku'],
    toolsUsed: ['Grep', 'Read'],
    totalToolUseCount: 3,
    totalDurationMs: 4200,
    totalTokens: 12_400,
    usage: { input_tokens: 12_000, output_tokens: 400 },
    prompt,
    mergeNote: 'It changed nothing, so there was nothing to merge.',
  },
  failure: 'The agent a1 failed: the model’s server is overloaded. Ask again later.',
};

export const sendMessageExample: ToolExample<SendMessageInput, SendMessageOutput> = {
  input: { to: 'tester', message: 'Run the tests of `src/units.ts` again, please.' },
  output: { to: 'tester', hasWoken: true },
  failure: 'No agent is named tester. Those that run are: reviewer.',
};

export const skillExample: ToolExample<SkillInput, SkillOutput> = {
  input: { skill: 'release-notes', args: 'since v1.2' },
  output: {
    skill: 'release-notes',
    description: 'Writes the notes of a release from its commits.',
    source: 'workspace',
    path: '/workspace/.claude/skills/release-notes/SKILL.md',
    context: 'inline',
    text: '# Release notes\n\nRead the commits since v1.2.\nGroup them by area.',
    allowedTools: ['Read(CHANGELOG.md)'],
    untrustedTools: ['Write'],
    isCut: false,
  },
  progress: [{ activity: 'Reading CHANGELOG.md' }],
  failure: 'There is no skill release-notes. Those that are there: review, deploy.',
};

export const listAgentsExample: ToolExample<ListAgentsInput, ListAgentsOutput> = {
  input: {},
  output: {
    agents: [
      {
        agentId: 'a1b2c3',
        name: 'tester',
        agentType: 'general-purpose',
        description: 'Test the boundary of an hour',
        isRunning: true,
      },
      {
        agentId: 'd4e5f6',
        agentType: 'Explore',
        description: 'Find where durations are rounded',
        isRunning: false,
      },
    ],
  },
  failure: 'A rule denies ListAgents.',
};

export const teamCreateExample: ToolExample<TeamCreateInput, TeamCreateOutput> = {
  input: { team_name: 'tides', description: 'Mends what rounds down, and tests it.' },
  output: { team_name: 'tides' },
  failure: 'There is a team already: reef. Delete it first.',
};

export const teamDeleteExample: ToolExample<TeamDeleteInput, TeamDeleteOutput> = {
  input: {},
  output: {
    team_name: 'tides',
    running: ['tester'],
    undone: [{ id: '2', subject: 'Test the boundary of an hour' }],
  },
  failure: 'There is no team.',
};
