// The description of ExitPlanMode for the model.

export const exitPlanModeToolName = 'ExitPlanMode';

export const exitPlanModeDescription =
  'Shows the user the plan that you wrote in plan mode, and asks whether to begin with it.';

export const exitPlanModePrompt = `ExitPlanMode takes no input: it shows the session's plan file to the user. Write the whole plan there first.
- If the user says yes, plan mode is over: begin with the work at once. They may have changed the plan; the result then has theirs.
- If they say no, you stay in plan mode, with what they said: change the plan, and call it again.
- What only the user can decide, ask before, with AskUserQuestion. Don't ask by other means whether the plan is right.`;

/** The result when no person is there. */
export const nobodyAccepts =
  'Nobody is here to accept the plan: it is the result of this turn. Plan mode stays on.';
