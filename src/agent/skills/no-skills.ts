// The catalog of a session without skills, and the error for an unknown skill.
import { SdkError } from '../../core/errors.ts';
import { findNearNames } from '../../core/text/near-names.ts';
import type { Skill, SkillCatalog } from '../../core/commands/skill.ts';

/** The catalog of a session without skills. */
export const noSkills: SkillCatalog = {
  found: { skills: [], problems: [] },
  list: () => Promise.resolve(noSkills.found),
  read: (name) => Promise.reject(unknownSkill(name, [])),
};

/** The error for a name that no skill has. */
export function unknownSkill(name: string, skills: readonly Skill[]): SdkError {
  const names = skills.map((skill) => skill.name);
  const near = findNearNames(name, names);
  const hint =
    names.length === 0
      ? 'This session has none.'
      : near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `There are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`;
  return new SdkError('invalid-input', `There is no skill "${name}". ${hint}`, {
    data: { skill: name },
  });
}
