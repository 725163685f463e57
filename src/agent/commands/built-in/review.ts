// `/review`: the prompt that makes the agent review a change.

/** `args`: what to review, in the person's words. */
export function toReviewPrompt(args: string): string {
  const what =
    args === ''
      ? "the changes of this project that aren't committed; where there are none, the newest commit"
      : 'this: $ARGUMENTS';
  return `Review ${what}.

Read the whole difference first (in a cell: git.status(), git.diff(), git.log()), then the code around it, its callers and its tests. Look for what will go wrong: mistakes in logic, cases that nobody thought of, errors that are lost, holes in security, data that can be lost, and tests that can't fail. Leave taste out.

Check each finding before you report it: read on until it is certain, or let it happen in a cell. Change no file.

Report by ReportFindings, if you can have it (ToolSearch finds it), else as a list with the worst first: file and line, what is wrong, when it goes wrong and what happens then. To find nothing is a result, too: say what you have looked at.`;
}
