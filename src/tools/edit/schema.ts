// Edit's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';
import { patchHunkSchema } from '../../core/schema/patch-schema.ts';

export const editInputSchema = lazySchema(() =>
  z.strictObject({
    file_path: z.string().describe('The file: absolute, or relative to the working directory.'),
    old_string: z
      .string()
      .describe('The text to replace, exactly as in the file. Empty: makes a new file.'),
    new_string: z.string().describe('The text to put in its place. Must differ from old_string.'),
    replace_all: z
      .boolean()
      .optional()
      .describe('Replaces every occurrence. Default: false, and old_string must occur only once.'),
  }),
);

/** The parsed input of a call of Edit. */
export type EditInput = z.output<ReturnType<typeof editInputSchema>>;

export const editOutputSchema = lazySchema(() =>
  z.strictObject({
    filePath: z.string(),
    /** The replaced text as it was in the file, with the file's own quotes. */
    oldString: z.string(),
    newString: z.string(),
    /** The text before. Null if it is too large to repeat. */
    originalFile: z.string().nullable(),
    structuredPatch: z.array(patchHunkSchema()),
    userModified: z.boolean(),
    replaceAll: z.boolean(),
  }),
);

/** The output of Edit, as data. */
export type EditOutput = z.output<ReturnType<typeof editOutputSchema>>;
