// Workflow's input and output, as in the Claude Agent SDK. docs/compatibility.md lists what is left out.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const workflowInputSchema = lazySchema(() =>
  z.strictObject({
    script: z
      .string()
      .optional()
      .describe('The script itself. With name or scriptPath it runs in place of theirs.'),
    name: z.string().optional().describe('Of a script in .claude/workflows, without .js.'),
    scriptPath: z.string().optional().describe('The path of a script in the workspace.'),
    args: z.record(z.string(), z.unknown()).optional().describe('What the script has as args.'),
    resumeFromRunId: z
      .string()
      .optional()
      .describe(
        'The runId of an earlier run, to go on from. Without a script: the same script and args.',
      ),
    title: z.string().optional().describe('What it does, in 3 to 5 words.'),
    description: z.string().optional().describe('The same in a sentence.'),
  }),
);

export type WorkflowInput = z.output<ReturnType<typeof workflowInputSchema>>;

const sharedShape = {
  runId: z.string().optional(),
  workflowName: z.string().optional(),
  /** The script's own description. */
  summary: z.string().optional(),
  /** The path of a script of the workspace. */
  scriptPath: z.string().optional(),
};

export const workflowOutputSchema = lazySchema(() =>
  z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('async_launched'),
      taskId: z.string(),
      taskType: z.literal('local_workflow'),
      ...sharedShape,
      /** Ours: the file of the run, which grows. */
      outputFile: z.string(),
    }),
    /** Ours: the end of a run with a waiting caller, and the content of a task's file. */
    z.strictObject({
      status: z.literal('completed'),
      ...sharedShape,
      /** The value that the script returned. */
      result: z.unknown(),
      agentCount: z.number(),
      /** The number of agents whose result was an earlier run's. */
      replayedCount: z.number(),
      totalTokens: z.number(),
    }),
  ]),
);

export type WorkflowOutput = z.output<ReturnType<typeof workflowOutputSchema>>;
