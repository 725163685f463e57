// The description of SetGoal for the model.

export const setGoalToolName = 'SetGoal';

export const setGoalDescription =
  'Sets a goal of this session: you work until it holds, and another model checks that.';

export const setGoalPrompt = `SetGoal makes you go on until a condition holds. Whenever you come to rest, another model reads the conversation and judges whether it does; if not, you are sent back with what is missing.
- Use it when the user wants you to go on until something is done: until all tests pass, until no file is left.
- The condition must be one that the conversation can show: a result of tests, a count, an empty list. Say what must not change, and where to stop: "or when nothing has changed three times".
- There is one goal. A new one takes the place of the old, and the user may take it back.
- With ask_user the user confirms it, whatever else is allowed. Leave it out where the user has asked for a goal in so many words.`;
