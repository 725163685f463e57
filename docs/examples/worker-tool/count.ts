// The worker's half: the work. It sees the workspace as this call may, and stops when it is cut.
import { ToolError, type WorkerToolDef } from 'rockpool/serve-tools';
import { inputSchema, type Counted } from './schema.ts';

export const countWorker = {
  inputSchema,
  async handler({ file_path }, { fs, signal, progress }) {
    const path = await fs.realpath(file_path).catch(() => {
      throw new ToolError(`There is no ${file_path}. Look for its name with Glob.`);
    });
    let words = 0;
    for (const line of (await fs.readFile(path, 'utf8')).split('\n')) {
      signal.throwIfAborted();
      words += line.split(/\s+/u).filter(Boolean).length;
    }
    progress({ words });
    return { path, words };
  },
} satisfies WorkerToolDef<typeof inputSchema, Counted, { words: number }>;
