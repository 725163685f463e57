// What stands behind `/goal`: words that take a goal back, or a condition; and what the model is told with one.

/** As in Claude Code. */
const endWords = ['clear', 'stop', 'off', 'reset', 'none', 'cancel'];

/** Does it take the goal back? */
export function isGoalEnd(args: string): boolean {
  return endWords.includes(args.toLowerCase());
}

/** Does it set a goal? Then a turn begins with it. */
export function setsGoal(args: string): boolean {
  return args !== '' && !isGoalEnd(args);
}

/** Stands behind the condition, which is the prompt. */
export const goalNote =
  '(This is the session’s goal. Work until it holds. Whenever you come to rest, another model checks it by this conversation alone, and sends you back if something is missing. So show the proof: run the check, and let its result be seen.)';
