// The tool that the workspace bench serves in a tool worker, and what it answers. It reads and
// writes through the very view that every tool gets.
import * as z from 'zod';
import type { WorkContext } from '../../../../src/core/tool/handler.ts';
import type { LocalFileSystem } from '../../../../src/workspace/files/file-system.ts';
import { moment } from './moment.ts';

const inputSchema = z.object({
  operation: z.enum(['nothing', 'collect', 'read-many', 'read-sync', 'write', 'look']),
  paths: z.array(z.string()).default([]),
  text: z.string().default(''),
});

export type BenchToolInput = z.input<typeof inputSchema>;

/** What the operation took inside the handler, and that it did its work. */
export interface BenchToolOutput {
  readonly ms: number;
  /** What was read. */
  readonly characters: number;
  /** When the operation began and ended, comparable with other realms of the same browser. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** As packed batches cross: what tools that read many files ask for at once. */
const batchFiles = 64;

export const benchTool = { inputSchema, handler: run };

async function run(
  { operation, paths, text }: z.output<typeof inputSchema>,
  { fs }: WorkContext<LocalFileSystem>,
): Promise<BenchToolOutput> {
  const startedAt = moment();
  let characters = 0;
  switch (operation) {
    case 'nothing':
      break;
    case 'collect':
      (globalThis as { gc?: () => void }).gc?.();
      break;
    case 'read-many':
      for (let at = 0; at < paths.length; at += batchFiles) {
        for (const text of await fs.readMany(paths.slice(at, at + batchFiles), 'utf8')) {
          if (text instanceof Error) throw text;
          characters += text.length;
        }
      }
      break;
    case 'read-sync':
      for (const path of paths) characters += fs.sync.readFileSync(path, 'utf8').length;
      break;
    case 'write':
      for (const path of paths) fs.sync.writeFileSync(path, text);
      break;
    case 'look':
      for (const path of paths) {
        const found = fs.sync.readFileSync(path, 'utf8');
        if (found !== text) throw new Error(`${path} holds ${found.length} other characters.`);
        characters += found.length;
      }
      break;
  }
  const endedAt = moment();
  return { ms: endedAt - startedAt, characters, startedAt, endedAt };
}
