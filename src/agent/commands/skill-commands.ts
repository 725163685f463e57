// Skills as commands: a person may use one by `/name`, whether or not the model may.
import { SdkError } from '../../core/errors.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Skill, SkillCatalog } from '../../core/commands/skill.ts';
import { createSkillDenial } from '../skills/announce-skills.ts';
import type { CommandSource, LoadedCommand, PromptCommand } from './commands.ts';

/**
 * `hasSkillTool`: may the model call Skill now? Looks at the catalogue each time. Its problems are told by whoever made it. What a rule denies isn't a person's to
 * use either: the rule may be the host's policy.
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

/** One with `context: fork` is the tool's to run, as far as the model may call it: it knows the agents. */
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
