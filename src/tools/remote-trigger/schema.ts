// RemoteTrigger's input and output, as the Claude Agent SDK has them.
import * as z from 'zod';
import { remoteTriggerActions } from '../../core/host-ports/remote-trigger.ts';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

const id = () => z.string().min(1).max(200).optional();

export const remoteTriggerInputSchema = lazySchema(() =>
  z.strictObject({
    action: z.enum(remoteTriggerActions).describe('What to ask of the runtime.'),
    trigger_id: id().describe('The trigger, for get, update, run and list_runs.'),
    session_id: id().describe('The session, for get_run_log.'),
    cursor: z
      .string()
      .max(2_000)
      .optional()
      .describe('Where a list goes on, from the page before.'),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What is created or changed, or what a run is given.'),
  }),
);

export type RemoteTriggerInput = z.output<ReturnType<typeof remoteTriggerInputSchema>>;

export const remoteTriggerOutputSchema = lazySchema(() =>
  z.strictObject({
    /** An HTTP status. */
    status: z.number(),
    /** The runtime's answer, as JSON. Empty if there is none. */
    json: z.string(),
    summary: z.string().optional(),
  }),
);

export type RemoteTriggerOutput = z.output<ReturnType<typeof remoteTriggerOutputSchema>>;
