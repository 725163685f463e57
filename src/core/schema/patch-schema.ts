// The schema of a patch's hunks, for the outputs of every tool that changes a text file.
import * as z from 'zod';
import type { PatchHunk } from '../change-set.ts';
import { lazySchema } from './lazy-schema.ts';

/** The schema of a {@link PatchHunk}. */
export const patchHunkSchema = lazySchema((): z.ZodType<PatchHunk> =>
  z.strictObject({
    oldStart: z.number(),
    oldLines: z.number(),
    newStart: z.number(),
    newLines: z.number(),
    lines: z.array(z.string()),
  }),
);
