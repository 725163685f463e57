// The definition of the tool Skill. It has no worker half, because the session's catalogue finds
// and reads skills.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, ToolError } from '../../core/errors.ts';
import { fillArguments } from '../../core/commands/fill-arguments.ts';
import { toSkillHeading } from '../../core/commands/skill-heading.ts';
import { matchesWildcard } from '../../core/permissions/match-wildcard.ts';
import type { LoadedSkill, Skill } from '../../core/commands/skill.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import {
  skillDescription,
  skillPrompt,
  skillResultChars,
  skillToolName,
  toSkillRest,
} from './prompt.ts';
import {
  skillInputSchema,
  skillOutputSchema,
  type SkillInput,
  type SkillOutput,
} from './schema.ts';

/** The work of an agent that follows a skill. */
export interface SkillProgress {
  readonly activity: string;
}

export const skillTool = buildTool({
  name: skillToolName,
  searchHint: 'instructions for a kind of work',
  alwaysLoad: true,
  get inputSchema() {
    return skillInputSchema();
  },
  get outputSchema() {
    return skillOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Follow the skill ${toName(input)}` : skillDescription),
  prompt: () => Promise.resolve(skillPrompt),

  async validateInput(input, { skills }) {
    const name = toName(input);
    const named = (skill: Skill) => skill.name === name;
    // The list may lack a skill that was written during the turn.
    const skill = skills.found.skills.find(named) ?? (await skills.list()).skills.find(named);
    if (skill) {
      const message = findObstacle(skill);
      return message === undefined ? { result: true } : { result: false, errorCode: 2, message };
    }
    const message = await skills.read(name).then(
      () => `There is no skill "${name}".`,
      (error: unknown) => (SdkError.isInstance(error) ? error.message : String(error)),
    );
    return { result: false, errorCode: 1, message };
  },
  // The call gives the text of a file of the workspace or the host. Loosening skills were already
  // trusted.
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
  preparePermissionMatcher: (input) => {
    const name = toName(input);
    return Promise.resolve((pattern: string) => matchesWildcard(pattern, name));
  },
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
  // A forked agent may work for hours. The source of an inline skill has a shorter limit.
  getTimeoutMs: () => 24 * 60 * 60 * 1000,

  call: followSkill,
  // The same call finds the agent that it has started. An inline skill is read again.
  resumeCall: followSkill,

  userFacingName: () => 'Skill',
  getToolUseSummary: (input) => toSummary(toName(input)) || null,
  getActivityDescription: (input) => (toName(input) ? `Reading the skill ${toName(input)}` : null),
  toAutoClassifierInput: (input) => `follow the skill ${toName(input)}`,

  maxResultSizeChars: skillResultChars,
  mapToolResultToToolResultBlockParam: ({ text }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: text,
  }),
} satisfies ToolDef<ReturnType<typeof skillInputSchema>, SkillOutput, SkillProgress>);

async function followSkill(
  input: SkillInput,
  context: ToolUseContext,
  _canUseTool: unknown,
  _parentMessage: unknown,
  onProgress?: (progress: SkillProgress) => void,
): Promise<ToolResult<SkillOutput>> {
  const loaded = await context.skills.read(toName(input));
  const { skill, body, allow } = loaded;
  // The skill may have been changed since it was listed.
  const obstacle = findObstacle(skill);
  if (obstacle !== undefined) throw new ToolError(obstacle);
  const filled = fillArguments(body, input.args);
  const untrustedTools = skill.isTrusted ? [] : skill.allowedTools;
  const shared = {
    skill: skill.name,
    description: skill.description,
    source: skill.source,
    ...(skill.path !== undefined && { path: skill.path }),
    context: skill.context,
    allowedTools: allow,
    untrustedTools,
  };
  if (skill.context === 'fork') {
    const report = await runForked(loaded, filled, context, onProgress);
    return { data: { ...shared, text: report, isCut: false } };
  }
  context.allowForTurn(allow);
  return { data: { ...shared, ...toText(skill, filled) } };
}

/** Reads a name as people write it, also with a slash. */
function toName({ skill = '' }: Partial<SkillInput>): string {
  return skill.trim().replace(/^\//u, '');
}

/** The reason why the model may not use it. Undefined: it may. */
function findObstacle({ name, disableModelInvocation, userInvocable }: Skill): string | undefined {
  if (!disableModelInvocation) return undefined;
  const instead = userInvocable ? ` Where it fits, tell the user to type /${name}.` : '';
  return `The skill "${name}" is for people alone: you can't call it.${instead}`;
}

/** The instructions for the model, whole or as much as a result may have. */
function toText(skill: Skill, filled: string): Pick<SkillOutput, 'text' | 'isCut'> {
  const heading = `${toSkillHeading(skill.name, skill.directory)}\n\n`;
  if (heading.length + filled.length <= skillResultChars) {
    return { text: `${heading}${filled}`, isCut: false };
  }
  // 300: more than the line below the instructions takes, except for its path, which is counted
  // itself.
  const room = skillResultChars - heading.length - 300 - (skill.path?.length ?? 0);
  const shown = clipText(filled, room);
  return { text: `${heading}${shown}\n\n${toSkillRest(shown, skill.path)}`, isCut: true };
}

async function runForked(
  { skill, allow }: LoadedSkill,
  prompt: string,
  { agents, toolUseID = '', abortController }: ToolUseContext,
  onProgress?: (progress: SkillProgress) => void,
): Promise<string> {
  const directory = `${toSkillHeading(skill.name, skill.directory)}\n\n`;
  return agents.runSkill(
    { skill, prompt: `${directory}${prompt}`, allow },
    {
      toolUseID,
      signal: abortController.signal,
      onProgress: (activity) => onProgress?.({ activity }),
    },
  );
}
