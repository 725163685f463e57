// ExitPlanMode's input and output, as in the Claude Agent SDK. The plan itself is the session's file: the host
// fills it into the question, and the answer may bring another one.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const exitPlanModeInputSchema = lazySchema(() => z.strictObject({}));

/** What a call of ExitPlanMode takes, as its schema gives it. */
export type ExitPlanModeInput = z.output<ReturnType<typeof exitPlanModeInputSchema>>;

/** As a person is asked about it, and as the answer gives it back. */
export const exitPlanModeAnswerSchema = lazySchema(() =>
  exitPlanModeInputSchema().extend({
    /** The plan, in Markdown. In an answer: as the person changed it. */
    plan: z.string().optional(),
    /** Where the plan stands. An answer can't change it. */
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

/** What ExitPlanMode answers, as data. */
export type ExitPlanModeOutput = z.output<ReturnType<typeof exitPlanModeOutputSchema>>;
