// The description of Skill for the model.

export const skillToolName = 'Skill';

export const skillDescription = 'Gives you the instructions of a skill, by its name.';

export const skillPrompt =
  'Before you begin, call Skill once where a listed skill fits the task, or the user names one as /name, and follow it. Read other files that it names.';

/** What stands below instructions that are cut. */
export function toSkillRest(shown: string, path: string | undefined): string {
  const lines = shown.split('\n').length;
  return path === undefined
    ? `[The rest is left out: it is longer than ${skillResultChars} characters.]`
    : `[The rest is left out, after some ${lines} lines: Read ${path} for it.]`;
}

/** What one result has at most, in UTF-16 units. */
export const skillResultChars = 100_000;
