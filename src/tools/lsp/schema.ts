// LSP's input and output. The Claude Agent SDK declares no input for it: names are the protocol's, lines count from 1
// as Read's do.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** More places than this help nobody: the total is always said. */
export const maxListed = 100;

export const lspOperations = [
  'diagnostics',
  'definition',
  'implementation',
  'references',
  'hover',
  'documentSymbols',
  'workspaceSymbols',
  'incomingCalls',
  'outgoingCalls',
] as const;

export type LspOperation = (typeof lspOperations)[number];

/** The operations on a place in a file. */
export const placeOperations: ReadonlySet<LspOperation> = new Set([
  'definition',
  'implementation',
  'references',
  'hover',
  'incomingCalls',
  'outgoingCalls',
]);

export const lspInputSchema = lazySchema(() =>
  z.strictObject({
    operation: z.enum(lspOperations).describe('What to ask the language server.'),
    file_path: z
      .string()
      .min(1)
      .optional()
      .describe('The file. Needed but for workspaceSymbols, and diagnostics of a whole project.'),
    line: z.int().min(1).optional().describe('The line of the symbol, from 1, as Read shows it.'),
    character: z.int().min(1).optional().describe('Where in the line the symbol stands, from 1.'),
    query: z.string().min(1).optional().describe('workspaceSymbols: a name, or a part of one.'),
  }),
);

export type LspInput = z.output<ReturnType<typeof lspInputSchema>>;

const placeFields = {
  /**
   * Absolute, or `typescript-lib:/lib.es5.d.ts` for a file of the language itself, which can't be
   * opened.
   */
  path: z.string(),
  /** Counts from 1, as `character`. */
  line: z.int(),
  character: z.int(),
  /** The line's text. */
  text: z.string(),
};

export const lspOutputSchema = lazySchema(() =>
  z.strictObject({
    operation: z.enum(lspOperations),
    /** The server's id. */
    server: z.string(),
    /** The scope of the answer, such as the path of a tsconfig.json. */
    scope: z.string().optional(),
    diagnostics: z
      .array(
        z.strictObject({
          ...placeFields,
          severity: z.enum(['error', 'warning', 'information', 'hint']),
          /** The code with its source: `ts2322`. */
          code: z.string().optional(),
          message: z.string(),
        }),
      )
      .optional(),
    locations: z.array(z.strictObject(placeFields)).optional(),
    symbols: z
      .array(
        z.strictObject({
          ...placeFields,
          name: z.string(),
          kind: z.string(),
          /** The symbol or file that contains it. */
          container: z.string().optional(),
          /** How deep it is nested in other symbols of the file. */
          depth: z.int().optional(),
        }),
      )
      .optional(),
    hover: z
      .strictObject({ code: z.string(), language: z.string(), documentation: z.string() })
      .optional(),
    /** The number of all places. At most 100 of them are listed. */
    total: z.int(),
    /** The number of files with places. */
    files: z.int(),
  }),
);

export type LspOutput = z.output<ReturnType<typeof lspOutputSchema>>;

/** The progress that it reports while it runs. */
export interface LspProgress {
  readonly message: string;
}
