// TeamCreate's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** Characters of a team's name. */
export const maxTeamName = 64;

export const teamCreateInputSchema = lazySchema(() =>
  z.strictObject({
    team_name: z
      .string()
      .regex(/^[\w-]+$/u, 'Use letters, digits, - and _.')
      .max(maxTeamName)
      .describe(`At most ${maxTeamName} letters, digits, - and _.`),
    description: z.string().optional().describe('What the team works on.'),
  }),
);

export type TeamCreateInput = z.output<ReturnType<typeof teamCreateInputSchema>>;

export const teamCreateOutputSchema = lazySchema(() => z.strictObject({ team_name: z.string() }));

export type TeamCreateOutput = z.output<ReturnType<typeof teamCreateOutputSchema>>;
