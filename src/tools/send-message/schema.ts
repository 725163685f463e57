// SendMessage's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const sendMessageInputSchema = lazySchema(() =>
  z.strictObject({
    to: z.string().describe('The id or the name of an agent, or "main".'),
    message: z.string().describe('What it is to read.'),
  }),
);

export type SendMessageInput = z.output<ReturnType<typeof sendMessageInputSchema>>;

export const sendMessageOutputSchema = lazySchema(() =>
  z.strictObject({
    to: z.string(),
    /** The agent was idle, and continues. */
    hasWoken: z.boolean(),
  }),
);

export type SendMessageOutput = z.output<ReturnType<typeof sendMessageOutputSchema>>;
