// Write's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';
import { patchHunkSchema } from '../../core/schema/patch-schema.ts';

export const writeInputSchema = lazySchema(() =>
  z.strictObject({
    file_path: z.string().describe('The file: absolute, or relative to the working directory.'),
    content: z.string().describe('The whole new content.'),
  }),
);

/** The parsed input of a call of Write. */
export type WriteInput = z.output<ReturnType<typeof writeInputSchema>>;

export const writeOutputSchema = lazySchema(() =>
  z.strictObject({
    type: z.enum(['create', 'update']),
    filePath: z.string(),
    content: z.string(),
    structuredPatch: z.array(patchHunkSchema()),
    /**
     * The text before. Null for a new file, and if the file was no text or is too large to repeat.
     */
    originalFile: z.string().nullable(),
    userModified: z.boolean(),
  }),
);

/** The output of Write, as data. */
export type WriteOutput = z.output<ReturnType<typeof writeOutputSchema>>;
