// Loads the skills in an agent's definition; their texts are at the beginning of its conversation.
// Used by agents/create-agent.ts.
import { describeThrown, SdkError } from '../../core/errors.ts';
import { fillArguments } from '../../core/commands/fill-arguments.ts';
import type { SkillCatalog } from '../../core/commands/skill.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { createSkillDenial } from './announce-skills.ts';

// 100 000 characters for all of them: as much as the tool Skill gives of one.
const maxChars = 100_000;

export interface PreloadOptions {
  readonly skills: Pick<SkillCatalog, 'list' | 'read'>;
  readonly rules: readonly PermissionRule[];
  /** Warns a person, in a sentence, of a skill that is left out. Must not throw. */
  readonly warn: (message: string) => void;
}

/**
 * The texts, each under its name. Never rejects. A skill is left out if it is missing, if a rule
 * denies it or asks about it, or if only people may use it. Its `allowed-tools` don't apply,
 * because the agent has its caller's permissions.
 */
export async function preloadSkills(
  names: readonly string[],
  { skills, rules, warn }: PreloadOptions,
): Promise<readonly string[]> {
  // Nobody can be asked here.
  const isBarred = createSkillDenial(rules, ['deny', 'ask']);
  const texts: string[] = [];
  let room = maxChars;
  // The list may lack a skill that was written during this turn.
  await skills.list();
  for (const name of names) {
    try {
      const { skill, body } = await skills.read(name);
      if (isBarred(name)) {
        throw new SdkError('permission-denied', 'A rule denies it, or asks about it.');
      }
      if (skill.disableModelInvocation) {
        throw new SdkError('permission-denied', 'It is for people alone.');
      }
      const folder = skill.directory === undefined ? '' : ` Its folder is ${skill.directory}.`;
      const text = fillArguments(body, undefined);
      const shown = clipText(text, room);
      const rest =
        shown.length < text.length ? '\n\n[The rest is left out: call Skill for it.]' : '';
      room -= shown.length;
      texts.push(
        `Instructions of the skill "${name}", for all that you do.${folder}\n\n${shown}${rest}`,
      );
    } catch (error) {
      const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
      warn(`An agent begins without the skill "${clipText(name, 100)}": ${why}`);
    }
  }
  return texts;
}
