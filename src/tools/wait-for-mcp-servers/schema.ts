// WaitForMcpServers's input and output. The Claude Agent SDK has the name, and publishes no schema for it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** In seconds: as long as a person will watch without a word. */
export const longestWait = 60;
export const usualWait = 30;

export const waitForMcpServersInputSchema = lazySchema(() =>
  z.strictObject({
    servers: z
      .array(z.string())
      .optional()
      .describe('The names of the servers to wait for. Left out: all that are being connected.'),
    timeout_seconds: z
      .number()
      .min(1)
      .max(longestWait)
      .optional()
      .describe(`How long to wait at most: ${usualWait} where it is left out.`),
  }),
);

export type WaitForMcpServersInput = z.output<ReturnType<typeof waitForMcpServersInputSchema>>;

export const waitForMcpServersOutputSchema = lazySchema(() =>
  z.strictObject({
    servers: z.array(
      z.strictObject({
        name: z.string(),
        status: z.enum(['connected', 'failed', 'needs-auth', 'pending', 'disabled']),
        /** The number of the server's tools. */
        tools: z.number().optional(),
        error: z.string().optional(),
      }),
    ),
  }),
);

export type WaitForMcpServersOutput = z.output<ReturnType<typeof waitForMcpServersOutputSchema>>;
