// ExitPlanMode's input and output, as in the Claude Agent SDK. The plan is the session's file: the
// host adds it to the question, and the answer may change it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const exitPlanModeInputSchema = lazySchema(() => z.strictObject({}));

/** The parsed input of a call of ExitPlanMode. */
export type ExitPlanModeInput = z.output<ReturnType<typeof exitPlanModeInputSchema>>;

/** The input in the question to a person, and in the answer. */
export const exitPlanModeAnswerSchema = lazySchema(() =>
  exitPlanModeInputSchema().extend({
    /** The plan, in Markdown. In an answer it is the person's version. */
    plan: z.string().optional(),
    /** The path of the plan. An answer can't change it. */
    planFilePath: z.string().optional(),
  }),
);

export type AskedPlan = z.output<ReturnType<typeof exitPlanModeAnswerSchema>>;

export const exitPlanModeOutputSchema = lazySchema(() =>
  z.strictObject({
    plan: z.string().nullable(),
    isAgent: z.boolean(),
    filePath: z.string().optional(),
    /** The person changed it. */
    planWasEdited: z.boolean().optional(),
  }),
);

/** The output of ExitPlanMode, as data. */
export type ExitPlanModeOutput = z.output<ReturnType<typeof exitPlanModeOutputSchema>>;
