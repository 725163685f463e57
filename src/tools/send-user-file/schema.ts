// SendUserFile's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const sendUserFileInputSchema = lazySchema(() =>
  z.strictObject({
    file_path: z.string().describe('The file: absolute, or relative to the working directory.'),
    note: z.string().optional().describe('What it is, in a sentence.'),
  }),
);

export type SendUserFileInput = z.output<ReturnType<typeof sendUserFileInputSchema>>;

export const sendUserFileOutputSchema = lazySchema(() =>
  z.strictObject({
    filePath: z.string(),
    /** Bytes. */
    size: z.number(),
    note: z.string().optional(),
    /** False: the host takes no files, and the person was shown the file's path. */
    wasDelivered: z.boolean(),
  }),
);

export type SendUserFileOutput = z.output<ReturnType<typeof sendUserFileOutputSchema>>;
