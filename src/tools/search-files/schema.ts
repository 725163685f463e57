// What a host's own search asks of a tool worker, and what comes back while it runs. No model sees it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** The name in the table of workers. No tool can have it: a tool's name has no colon. */
export const searchFilesName = 'rockpool:searchFiles';

/** `FileQuery` and `SearchFilesOptions` of search/search-files.ts, as far as they cross. */
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

/** Files since the progress before, in the order of the paths, and how far the search is. */
export interface SearchFilesProgress {
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly { readonly number: number; readonly text: string }[];
  }[];
  readonly searched: number;
  readonly total: number;
}

/** How a search ended. */
export interface SearchFilesOutput {
  /** False where the most lines that were asked for ended it. */
  readonly isComplete: boolean;
}
