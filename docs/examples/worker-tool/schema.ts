// What both halves share: the input's schema, and what the handler gives.
import * as z from 'zod';

export const inputSchema = z.strictObject({
  file_path: z.string().describe('The file, absolute or from the working directory.'),
});

export interface Counted {
  readonly path: string;
  readonly words: number;
}
