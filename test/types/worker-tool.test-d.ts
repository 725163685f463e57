// A tool's two halves share its schema and its output: one that doesn't fit is no worker half. Checked
// by tsc.
import * as z from 'zod';
import { expectTypeOf } from 'vitest';
import type { WorkerTool, WorkerToolDef } from '../../src/serve-tools.ts';

const inputSchema = z.strictObject({ path: z.string(), limit: z.number().default(1) });
interface Output {
  readonly lines: number;
}

const worker = {
  inputSchema,
  handler: async ({ path, limit }, { fs, progress }) => {
    expectTypeOf(limit).toEqualTypeOf<number>();
    progress('half');
    return { lines: (await fs.readFile(path, 'utf8')).length };
  },
} satisfies WorkerToolDef<typeof inputSchema, Output, string>;
expectTypeOf(worker).toExtend<WorkerTool>();

const other = {
  inputSchema,
  // @ts-expect-error -- the tool's definition maps another output.
  handler: async () => ({ words: 1 }),
} satisfies WorkerToolDef<typeof inputSchema, Output>;
void other;

const misread = {
  inputSchema,
  // @ts-expect-error -- the schema knows no such field.
  handler: async ({ file }) => ({ lines: String(file).length }),
} satisfies WorkerToolDef<typeof inputSchema, Output>;
void misread;
