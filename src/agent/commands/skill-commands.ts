// Skills as commands: a person may use a skill by `/name`, even if the model may not.
import { SdkError } from '../../core/errors.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Skill, SkillCatalog } from '../../core/commands/skill.ts';
import { createSkillDenial } from '../skills/announce-skills.ts';
import type { CommandSource, LoadedCommand, PromptCommand } from './commands.ts';

/**
 * `hasSkillTool`: whether the model may call Skill now. Reads the catalog at each call, whose
 * creator reports its problems. A person can't use a denied skill either, because the rule may be
 * the host's policy.
 */
export function createSkillCommands(
  skills: SkillCatalog,
  rules: () => readonly PermissionRule[],
  hasSkillTool: () => boolean,
): CommandSource {
  return async () => {
    const { skills: found } = await skills.list();
    const isDenied = createSkillDenial(rules());
    const invocable = found.filter(({ name, userInvocable }) => userInvocable && !isDenied(name));
    return {
      commands: invocable.map((skill) => toCommand(skill, skills, hasSkillTool)),
      problems: [],
    };
  };
}

function toCommand(skill: Skill, skills: SkillCatalog, hasSkillTool: () => boolean): PromptCommand {
  const { name, description, argumentHint = '', path, source, allowedTools } = skill;
  return {
    name,
    description,
    argumentHint,
    kind: 'skill',
    source: 'skill',
    place: path ?? source,
    allowedTools,
    load: () => load(skill, skills, hasSkillTool),
  };
}

/**
 * A skill with `context: fork` is run by the tool Skill if the model may call it, because the tool
 * can start agents.
 */
async function load(
  { name, context, disableModelInvocation }: Skill,
  skills: SkillCatalog,
  hasSkillTool: () => boolean,
): Promise<LoadedCommand> {
  if (context === 'fork' && !disableModelInvocation) {
    if (!hasSkillTool()) {
      throw new SdkError(
        'bad-usage',
        `The skill "${name}" is followed by an agent of its own, by the tool Skill, which this session doesn't have. Switch the tool on, or take "context: fork" out of the skill.`,
        { data: { skill: name } },
      );
    }
    const body = `Call the tool Skill now, with the skill "${name}" and these arguments: $ARGUMENTS`;
    return { body, allow: [] };
  }
  const { skill, body, allow } = await skills.read(name);
  const { directory } = skill;
  return {
    body,
    allow,
    ...(directory !== undefined && {
      note: `(This is the skill "${name}". Its other files are in ${directory}.)`,
    }),
  };
}
