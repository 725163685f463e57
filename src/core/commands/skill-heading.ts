// What stands above a skill's instructions wherever the model is given them.

/** Inverse: {@link readSkillHeading}. */
export function toSkillHeading(name: string, directory: string | undefined): string {
  const folder =
    directory === undefined
      ? ''
      : ` Its folder is ${directory}: what it names is taken from there.`;
  return `Instructions of the skill "${name}".${folder}`;
}

/** The name of the skill whose heading begins the text; undefined if there is no heading. */
export function readSkillHeading(text: string): string | undefined {
  return /^Instructions of the skill "([^"\n]+)"\./u.exec(text)?.[1];
}
