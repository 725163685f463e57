// The description of Workflow for the model.

export const workflowToolName = 'Workflow';

export const workflowDescription =
  'Runs a script of yours in the background that gives tasks to several agents, and tells you what it returns.';

export const workflowPrompt = `Workflow is for work in many parts of one kind, whose order can be written down: review each file, then weigh what was found. It may begin dozens of agents: use it when the user asks for work on that scale. For one or a few tasks use Agent.

A script is plain JavaScript, and begins with what it is:

export const meta = { name: 'review', description: 'Reviews files, then sums up', phases: [{ title: 'Review' }, { title: 'Sum up' }] };
phase('Review');
const found = await pipeline(args.files, (file) => agent('Review ' + file, { label: file, schema: { type: 'object', properties: { bugs: { type: 'array', items: { type: 'string' } } }, required: ['bugs'] } }));
phase('Sum up');
return agent('Sum up these reviews: ' + JSON.stringify(found.filter(Boolean)));

- agent(prompt, { label, phase, schema, model, agentType, isolation }) gives an agent's last words, or data by schema; null where it failed or was stopped. It knows what prompt says, and no more. isolation: 'worktree' for those that change the same files.
- parallel([() => …, …]) waits for all. pipeline(items, stage, …) takes each item through all stages by itself; a stage is given (result before, item, index). Both give null for what threw.
- phase(title) and log(text) are for the user who watches. args is what you gave.
- It has no files, no network, no time and no random numbers: its agents do all of the work.
- A run that was stopped goes on by resumeFromRunId: agents that had ended aren't asked again, as long as the script asks for the same.`;
