// TeamCreate's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/tool/lazy-schema.ts';

export const teamCreateInputSchema = lazySchema(() =>
  z.strictObject({
    team_name: z
      .string()
      .regex(/^[\w-]{1,64}$/u, 'Use letters, digits, - and _, at most 64.')
      .describe('At most 64 letters, digits, - and _.'),
    description: z.string().optional().describe('What the team works on.'),
  }),
);

export type TeamCreateInput = z.output<ReturnType<typeof teamCreateInputSchema>>;

export const teamCreateOutputSchema = lazySchema(() => z.strictObject({ team_name: z.string() }));

export type TeamCreateOutput = z.output<ReturnType<typeof teamCreateOutputSchema>>;
