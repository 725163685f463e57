// The description of Agent for the model. The kinds of agents vary, so a reminder lists them.

export const agentToolName = 'Agent';

export const agentDescription =
  'Gives a task to another agent, which knows only what prompt says, and reports.';

export const agentPrompt = `Agent is for a broad search, or a change that can be described whole. For one file or one question use your own tools.

- It runs beside you, and you are told when it ends; never guess what it will say. Where you can't go on without it, wait: run_in_background: false.
- Let no two agents change the same files, or give each isolation: "worktree": a copy, merged at its end.
- Say what to find or change, where, what you know, and what to report.
- The user doesn't see the report: tell them what matters.`;
