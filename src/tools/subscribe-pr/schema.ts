// SubscribePr's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const subscribePrInputSchema = lazySchema(() =>
  z.strictObject({
    repository: z.string().describe('The repository on the forge, as owner/name.'),
    number: z.number().int().min(1).describe("The pull request's number."),
    unsubscribe: z.boolean().optional().describe('Ends the subscription instead.'),
  }),
);

export type SubscribePrInput = z.output<ReturnType<typeof subscribePrInputSchema>>;

export const subscribePrOutputSchema = lazySchema(() =>
  z.strictObject({
    repository: z.string(),
    number: z.number(),
    /** `not-open`: the pull request is closed or merged, so nothing more is told of it. */
    status: z.enum(['subscribed', 'unsubscribed', 'not-subscribed', 'not-open']),
    /** The present title. */
    title: z.string().optional(),
    state: z.enum(['open', 'closed', 'merged']).optional(),
    comments: z.number().optional(),
    reviews: z.number().optional(),
    checks: z.number().optional(),
  }),
);

export type SubscribePrOutput = z.output<ReturnType<typeof subscribePrOutputSchema>>;
