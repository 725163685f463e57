// The list of skills for the model. create-request.ts adds it before a request.
import { matchesWildcard } from '../../core/permissions/match-wildcard.ts';
import type { PermissionBehavior, PermissionRule } from '../../core/permissions/permission.ts';
import type { Skill } from '../../core/commands/skill.ts';
import type { Announcement } from '../context/announce-items.ts';

/** The tool's name in rules and in the pool. */
export const skillToolName = 'Skill';

/** Leaves out skills that only a person may use, and those that a rule denies. */
export function toSkillAnnouncement(
  skills: readonly Skill[],
  rules: readonly PermissionRule[],
): Announcement {
  const isDenied = createSkillDenial(rules);
  const isOffered = ({ name, disableModelInvocation }: Skill) =>
    !disableModelInvocation && !isDenied(name);
  return {
    kind: 'skills',
    toolName: skillToolName,
    heading:
      '# Skills\n\nInstructions for kinds of work. Where one fits the task, call Skill with its name before you begin.',
    items: skills.filter(isOffered).map(({ name, description, whenToUse }) => ({
      name,
      description: whenToUse === undefined ? description : `${description} ${whenToUse}`,
    })),
  };
}

/** Checks whether a rule such as `Skill(deploy*)` denies a skill. `Skill` denies all. */
export function createSkillDenial(
  rules: readonly PermissionRule[],
  behaviors: readonly PermissionBehavior[] = ['deny'],
): (name: string) => boolean {
  const found = rules.filter(
    ({ behavior, toolName }) => behaviors.includes(behavior) && toolName === skillToolName,
  );
  return (name) =>
    found.some(
      ({ ruleContent }) => ruleContent === undefined || matchesWildcard(ruleContent, name),
    );
}
