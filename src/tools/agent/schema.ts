// Agent's input and output, as in the Claude Agent SDK. docs/compatibility.md lists what is left out.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const agentInputSchema = lazySchema(() =>
  z.strictObject({
    description: z.string().describe('In 3 to 5 words.'),
    prompt: z.string().describe('The task.'),
    subagent_type: z.string().optional().describe('Its kind. Default: general-purpose.'),
    model: z
      .enum(['sonnet', 'opus', 'haiku', 'fable'])
      .optional()
      .describe('Another than its kind says.'),
    run_in_background: z.boolean().optional().describe('False: wait for its report.'),
    name: z.string().optional().describe('By which SendMessage reaches it.'),
    isolation: z.enum(['worktree']).optional().describe('On a branch, merged at its end.'),
  }),
);

/** The parsed input of a call of Agent. */
export type AgentInput = z.output<ReturnType<typeof agentInputSchema>>;

const textBlockSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const usageSchema = z.looseObject({ input_tokens: z.number(), output_tokens: z.number() });

export const agentOutputSchema = lazySchema(() =>
  z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('completed'),
      agentId: z.string(),
      agentType: z.string(),
      content: z.array(textBlockSchema),
      resolvedModel: z.string(),
      modelsUsed: z.array(z.string()),
      toolsUsed: z.array(z.string()),
      totalToolUseCount: z.number(),
      totalDurationMs: z.number(),
      totalTokens: z.number(),
      usage: usageSchema,
      prompt: z.string(),
      toolStats: z
        .strictObject({
          readCount: z.number(),
          searchCount: z.number(),
          bashCount: z.number(),
          editFileCount: z.number(),
          linesAdded: z.number(),
          linesRemoved: z.number(),
          otherToolCount: z.number(),
        })
        .optional(),
      worktreePath: z.string().optional(),
      worktreeBranch: z.string().optional(),
      /** Ours: the outcome of an isolated agent's changes. */
      mergeNote: z.string().optional(),
    }),
    z.strictObject({
      status: z.literal('async_launched'),
      isAsync: z.literal(true),
      agentId: z.string(),
      description: z.string(),
      resolvedModel: z.string(),
      prompt: z.string(),
      outputFile: z.string(),
      canReadOutputFile: z.literal(true),
    }),
  ]),
);

/** The output of Agent, as data. */
export type AgentOutput = z.output<ReturnType<typeof agentOutputSchema>>;
