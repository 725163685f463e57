// The arguments of `/goal`: words that remove a goal, or a condition. Also the note to the model
// about a goal.

/** The same words as in Claude Code. */
const endWords = ['clear', 'stop', 'off', 'reset', 'none', 'cancel'];

/** True if the arguments remove the goal. */
export function isGoalEnd(args: string): boolean {
  return endWords.includes(args.toLowerCase());
}

/** True if the arguments set a goal, which starts a turn. */
export function setsGoal(args: string): boolean {
  return args !== '' && !isGoalEnd(args);
}

/** Added after the condition, which is the prompt. */
export const goalNote =
  '(This is the session’s goal. Work until it holds. Whenever you come to rest, another model checks it by this conversation alone, and sends you back if something is missing. So show the proof: run the check, and let its result be seen.)';
