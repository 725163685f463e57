// What the model is told about Agent. Which kinds there are is told by a reminder, as they vary.

export const agentToolName = 'Agent';

export const agentDescription =
  'Gives a task to another agent, which works on its own and reports. It knows only what prompt says.';

export const agentPrompt = `Agent gives a task to another agent: a search over many files, a change that can be described whole, work that would fill your own conversation. For one file or one question use your own tools.

- It runs beside you, and you are told when it ends; never guess what it will say. With run_in_background: false you wait for it: do that where you can't go on without it.
- Several agents run side by side when you call them in one message. Let no two change the same files, or give each isolation: "worktree": it then works on a copy, which is merged at its end.
- Say in the prompt what to find or to change, where, what you know by now, and what to report. subagent_type "fork" knows all that you know.
- The user doesn't see its report: say yourself what matters of it.`;
