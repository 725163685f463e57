// Skill's input and output. The Claude Agent SDK has the tool's name and publishes no types of it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const skillInputSchema = lazySchema(() =>
  z.strictObject({
    skill: z.string().min(1).describe('Its name, as it was listed.'),
    args: z.string().optional().describe('What it is to work on; takes the place of $ARGUMENTS.'),
  }),
);

export type SkillInput = z.output<ReturnType<typeof skillInputSchema>>;

export const skillOutputSchema = lazySchema(() =>
  z.strictObject({
    skill: z.string(),
    description: z.string(),
    /** The skill's source: `workspace`, or the name of the host's source. */
    source: z.string(),
    /** The path of its SKILL.md. Left out for a host's skill. */
    path: z.string().optional(),
    /** `fork`: an agent of its own has followed it, and `text` is the report. */
    context: z.enum(['inline', 'fork']),
    /** The text for the model. */
    text: z.string(),
    /** Rules that hold until the turn ends. */
    allowedTools: z.array(z.string()).readonly(),
    /** Rules that the skill wants and that nobody has trusted it with. */
    untrustedTools: z.array(z.string()).readonly(),
    /** The instructions were too long, and their end was left out. */
    isCut: z.boolean(),
  }),
);

export type SkillOutput = z.output<ReturnType<typeof skillOutputSchema>>;
