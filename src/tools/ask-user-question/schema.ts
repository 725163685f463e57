// AskUserQuestion's input and output, as in the Claude Agent SDK. Fields that the host fills in
// aren't in the schema that the model is given.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

const optionSchema = lazySchema(() =>
  z.strictObject({
    label: z.string().min(1).describe('1-5 words'),
    description: z.string().describe('What choosing it means'),
    preview: z.string().optional().describe('Code or a sketch, to compare'),
  }),
);

const questionSchema = lazySchema(() =>
  z.strictObject({
    question: z.string().min(1).describe('The whole question'),
    // 12: a tab's title on a phone, and the SDK's limit.
    header: z.string().min(1).max(12).describe('At most 12 characters'),
    options: z.array(optionSchema()).min(2).max(4).describe('"Other" is added to them'),
    multiSelect: z.boolean().default(false).describe('Several may be chosen'),
  }),
);

export const askUserQuestionInputSchema = lazySchema(() =>
  z.strictObject({
    questions: z.array(questionSchema()).min(1).max(4).describe('The questions'),
  }),
);

const annotationSchema = lazySchema(() =>
  z.strictObject({ preview: z.string().optional(), notes: z.string().optional() }),
);

/** Several labels may be an array, as in the Claude Agent SDK, or one text. */
const answerSchema = lazySchema(() =>
  z.union([
    z.string(),
    z.array(z.string()).transform((labels) => labels.filter((label) => label.trim()).join(', ')),
  ]),
);

/** The input with the answers, keyed by the questions' texts. */
export const askUserQuestionAnswerSchema = lazySchema(() =>
  askUserQuestionInputSchema().extend({
    /** The chosen options, or the text under "Other". Several are one text. */
    answers: z.record(z.string(), answerSchema()).optional(),
    annotations: z.record(z.string(), annotationSchema()).optional(),
    metadata: z.strictObject({ source: z.string().optional() }).optional(),
  }),
);

export type AskedQuestion = z.output<ReturnType<typeof questionSchema>>;

/** The parsed input of a call of AskUserQuestion. */
export type AskUserQuestionInput = z.output<ReturnType<typeof askUserQuestionInputSchema>>;

/** The same with the person's answers, as `canUseTool` returns it. */
export type AnsweredInput = z.output<ReturnType<typeof askUserQuestionAnswerSchema>>;

export const askUserQuestionOutputSchema = lazySchema(() =>
  z.strictObject({
    questions: z.array(questionSchema()),
    answers: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), annotationSchema()).optional(),
  }),
);

/** The output of AskUserQuestion, as data. */
export type AskUserQuestionOutput = z.output<ReturnType<typeof askUserQuestionOutputSchema>>;
