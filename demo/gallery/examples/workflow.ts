// Calls of the tool that runs a script of several agents.
import type { WorkflowInput, WorkflowOutput } from '../../../src/tools/workflow/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const script = `export const meta = {
  name: 'review',
  description: 'Reviews files, then sums up',
};
phase('Review');
const found = await parallel(args.files.map((file) => () => agent('Review ' + file, { label: file })));
phase('Sum up');
return agent('Sum up: ' + found.join('; '));`;

const run = {
  runId: 'wf_2f6b1c04',
  workflowName: 'review',
  summary: 'Reviews files, then sums up',
};

const launched: WorkflowOutput = {
  status: 'async_launched',
  taskId: 'b3f0a1c2',
  taskType: 'local_workflow',
  ...run,
  outputFile: '/session/s/tasks/b3f0a1c2.output',
};

export const workflowExample: ToolExample<WorkflowInput, WorkflowOutput> = {
  input: { script, args: { files: ['src/format.ts', 'src/parse.ts'] } },
  output: {
    status: 'completed',
    ...run,
    result: 'Two findings stand: durations are rounded up, and an empty text is parsed as zero.',
    agentCount: 3,
    replayedCount: 1,
    totalTokens: 18_240,
  },
  progress: [
    { type: 'phase', text: 'Review' },
    { type: 'agent', position: 0, label: 'src/format.ts', phase: 'Review', state: 'replayed' },
    { type: 'agent', position: 1, label: 'src/parse.ts', phase: 'Review', state: 'running' },
    { type: 'agent', position: 1, label: 'src/parse.ts', phase: 'Review', state: 'completed' },
    { type: 'phase', text: 'Sum up' },
    { type: 'log', text: '2 findings.' },
    { type: 'agent', position: 2, label: 'Sum up', phase: 'Sum up', state: 'running' },
  ],
  failure: 'The script threw TypeError: args.files is undefined (line 6)',
  variants: {
    'one that runs in the background': { output: launched, isTask: true },
    'one of the workspace': {
      input: { name: 'review', args: { files: ['src/format.ts'] } },
      output: { ...launched, scriptPath: '/workspace/.claude/workflows/review.js' },
    },
    'one that goes on': {
      input: { resumeFromRunId: 'wf_2f6b1c04', title: 'Review again' },
      output: launched,
    },
    'an answer as data': {
      output: {
        status: 'completed',
        ...run,
        result: { bugs: ['Durations are rounded up.'] },
        agentCount: 3,
        replayedCount: 0,
        totalTokens: 18_240,
      },
    },
  },
};
