// Glob's input and output, as in the Claude Agent SDK. The total is always exact.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** 100: a longer list isn't useful, and the total shows that the pattern is too general. */
export const maxListedFiles = 100;

export const globInputSchema = lazySchema(() =>
  z.strictObject({
    pattern: z.string().min(1).describe('The glob, such as "*.ts" or "src/**/*.{ts,tsx}".'),
    path: z
      .string()
      .optional()
      .describe('The directory to look in. Default: the working directory.'),
  }),
);

/** The parsed input of a call of Glob. */
export type GlobInput = z.output<ReturnType<typeof globInputSchema>>;

export const globOutputSchema = lazySchema(() =>
  z.strictObject({
    durationMs: z.number(),
    /** The number of names in `filenames`. */
    numFiles: z.number(),
    /** Absolute, the newest first. */
    filenames: z.array(z.string()),
    truncated: z.boolean(),
    totalMatches: z.number(),
    countIsComplete: z.boolean(),
    /** Ours: if nothing was found, what to search for instead. */
    hint: z.string().optional(),
  }),
);

/** The output of Glob, as data. */
export type GlobOutput = z.output<ReturnType<typeof globOutputSchema>> & {
  /** Never set: a search that takes too long fails, and says so. */
  readonly timedOut?: boolean;
};
