// SendUserMessage's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const sendUserMessageInputSchema = lazySchema(() =>
  z.strictObject({
    message: z.string().describe('What the user is to read, in Markdown.'),
  }),
);

export type SendUserMessageInput = z.output<ReturnType<typeof sendUserMessageInputSchema>>;

export const sendUserMessageOutputSchema = lazySchema(() =>
  z.strictObject({
    message: z.string(),
    /** By the session's clock, in milliseconds. */
    sentAt: z.number(),
  }),
);

export type SendUserMessageOutput = z.output<ReturnType<typeof sendUserMessageOutputSchema>>;
