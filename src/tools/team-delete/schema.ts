// TeamDelete's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const teamDeleteInputSchema = lazySchema(() => z.strictObject({}));

export type TeamDeleteInput = z.output<ReturnType<typeof teamDeleteInputSchema>>;

export const teamDeleteOutputSchema = lazySchema(() =>
  z.strictObject({
    team_name: z.string(),
    /** Names of members that still run. */
    running: z.array(z.string()),
    /** Tasks of the list that aren't completed. */
    undone: z.array(z.strictObject({ id: z.string(), subject: z.string() })),
  }),
);

export type TeamDeleteOutput = z.output<ReturnType<typeof teamDeleteOutputSchema>>;
