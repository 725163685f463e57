// PushNotification's input and output, as the Claude Agent SDK has them.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

// 500 characters: screens show about half of that.
const maxMessageChars = 500;

export const pushNotificationInputSchema = lazySchema(() =>
  z.strictObject({
    message: z
      .string()
      .max(maxMessageChars)
      .describe('What has happened, in one sentence without markup.'),
    status: z
      .literal('proactive')
      .optional()
      .describe('Say it where the user has not asked to be told.'),
  }),
);

export type PushNotificationInput = z.output<ReturnType<typeof pushNotificationInputSchema>>;

export const pushNotificationOutputSchema = lazySchema(() =>
  z.strictObject({
    message: z.string(),
    /** The message is on its way to a device elsewhere. */
    pushSent: z.boolean().optional(),
    /** The message is shown where the agent runs. */
    localSent: z.boolean().optional(),
    /** The reason why it was sent nowhere. */
    disabledReason: z.enum(['config_off', 'user_present', 'no_transport']).optional(),
    /** The time in ISO 8601. Left out: it wasn't sent. */
    sentAt: z.string().optional(),
  }),
);

export type PushNotificationOutput = z.output<ReturnType<typeof pushNotificationOutputSchema>>;
