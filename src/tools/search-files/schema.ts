// The input of a host's own search in a tool worker, and its progress and output. No model sees it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** The name in the table of workers. No tool can have it: a tool's name has no colon. */
export const searchFilesName = 'rockpool:searchFiles';

/** The fields of `FileQuery` and `SearchFilesOptions` of search/search-files.ts that can cross. */
export const searchFilesInputSchema = lazySchema(() =>
  z.strictObject({
    pattern: z.string(),
    directory: z.string(),
    ignoreCase: z.boolean().exactOptional(),
    multiline: z.boolean().exactOptional(),
    globs: z.array(z.string()).exactOptional(),
    type: z.string().exactOptional(),
    maxLines: z.int().positive().exactOptional(),
    maxFileBytes: z.int().positive().exactOptional(),
    timeoutMs: z.number().positive().exactOptional(),
  }),
);

export type SearchFilesInput = z.output<ReturnType<typeof searchFilesInputSchema>>;

/** Files since the progress before, in the order of the paths, and the state of the search. */
export interface SearchFilesProgress {
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly { readonly number: number; readonly text: string }[];
  }[];
  readonly searched: number;
  readonly total: number;
}

/** The end of a search. */
export interface SearchFilesOutput {
  /** False if it was ended by the limit of lines. */
  readonly isComplete: boolean;
}
