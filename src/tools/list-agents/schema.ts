// ListAgents' input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const listAgentsInputSchema = lazySchema(() => z.strictObject({}));

export type ListAgentsInput = z.output<ReturnType<typeof listAgentsInputSchema>>;

export const listAgentsOutputSchema = lazySchema(() =>
  z.strictObject({
    /** The agents, the oldest first. */
    agents: z.array(
      z.strictObject({
        agentId: z.string(),
        name: z.string().optional(),
        agentType: z.string(),
        description: z.string(),
        /** The agent that has begun this one. Left out: the session's own. */
        parentId: z.string().optional(),
        isRunning: z.boolean(),
        /** The agent is the caller itself. */
        isCaller: z.literal(true).optional(),
      }),
    ),
  }),
);

export type ListAgentsOutput = z.output<ReturnType<typeof listAgentsOutputSchema>>;
