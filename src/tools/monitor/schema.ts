// Monitor's input and output. `description`, `timeout_ms`, `command` and `ws` are the Claude Agent SDK's; `files` is
// ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

// 5 minutes, and 30 at most, as the Claude Agent SDK has it.
export const defaultTimeoutMs = 300_000;
export const maxTimeoutMs = 1_800_000;

export const monitorInputSchema = lazySchema(() =>
  z.strictObject({
    description: z
      .string()
      .min(1)
      .max(200)
      .describe('What is watched, in a few words: it stands in each message.'),
    timeout_ms: z
      .number()
      .int()
      .min(1_000)
      .max(maxTimeoutMs)
      .optional()
      .describe(
        `Milliseconds after which it ends. Default ${defaultTimeoutMs}, at most ${maxTimeoutMs}.`,
      ),
    command: z
      .string()
      .optional()
      .describe('JavaScript or TypeScript of a cell. Each line that it prints is an event.'),
    ws: z
      .strictObject({
        url: z.string().describe('The address: ws: or wss:.'),
        protocols: z.array(z.string()).optional().describe('Subprotocols, the best one first.'),
      })
      .optional()
      .describe('A WebSocket. Each text frame is an event.'),
    files: z
      .strictObject({
        pattern: z
          .string()
          .describe(
            'A glob, absolute or from the working directory. A directory means all that is below it.',
          ),
      })
      .optional()
      .describe('Files of the workspace. Each change by others is an event.'),
  }),
);

export type MonitorInput = z.output<ReturnType<typeof monitorInputSchema>>;

export const monitorOutputSchema = lazySchema(() =>
  z.strictObject({
    taskId: z.string(),
    timeoutMs: z.number(),
    /** The file that all events go to. */
    outputFile: z.string(),
    /** The query has one prompt, and the answer to it ends the task. */
    endsWithFinalResponse: z.literal(true).optional(),
    /** The reason why the task has ended, when it has. */
    ended: z.string().optional(),
  }),
);

export type MonitorOutput = z.output<ReturnType<typeof monitorOutputSchema>>;
