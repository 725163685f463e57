// WebFetch's input and output, as in the Claude Agent SDK. `artifactRead` of its output isn't here: there are no
// artifacts.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export { pageFreshMinutes } from '../../core/host-ports/web.ts';

export const webFetchInputSchema = lazySchema(() =>
  z.strictObject({
    url: z
      .string()
      .describe('The whole address of the page. http: becomes https:, but on this machine.'),
    prompt: z.string().min(1).describe('What you want to know of the page.'),
    offset: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe(
        'Where in the text of the page to go on, in characters, as the result before said.',
      ),
  }),
);

export type WebFetchInput = z.output<ReturnType<typeof webFetchInputSchema>>;

export const webFetchOutputSchema = lazySchema(() =>
  z.strictObject({
    /** The bytes that the server sent. */
    bytes: z.number(),
    code: z.number(),
    codeText: z.string(),
    /**
     * The answer to the prompt, or the text of the page. Otherwise the reason why there is neither.
     */
    result: z.string(),
    durationMs: z.number(),
    /** The address of the page, after redirects within its host. */
    url: z.string(),
  }),
);

export type WebFetchOutput = z.output<ReturnType<typeof webFetchOutputSchema>>;

/** The progress that a person sees. */
export interface WebFetchProgress {
  readonly activity: string;
}
