// Runs a query of the fixture with our Grep. The answer has the form of ripgrep's recorded answers.
import type { GrepOutput } from '../../../src/tools/grep/schema.ts';
import { createToolBench, type ToolBench } from '../stages/run-tool.ts';
import { searchFixture, type SearchFiles, type SearchQuery } from './search-fixture.ts';

export async function createSearchBench(files: SearchFiles = searchFixture): Promise<ToolBench> {
  // A tree with every character as a separate part takes long while other tests run.
  const bench = await createToolBench(files.contents, { limits: { timeoutMs: 300_000 } });
  for (const name of Object.keys(files.contents)) {
    const mtime = files.mtimeOf(name);
    await bench.workspace.fs.utimes(`/work/${name}`, mtime, mtime);
  }
  return bench;
}

export async function askGrep(
  bench: ToolBench,
  query: SearchQuery,
): Promise<{ readonly text: string } | { readonly refused: true }> {
  const reply = await bench.reply('Grep', { head_limit: 0, ...query });
  const isRefused = reply.type === 'failed' && reply.error.code !== 'limit-exceeded';
  if (isRefused && reply.error.name === 'ToolError') return { refused: true };
  if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
  const output = reply.output as GrepOutput;
  const text = output.mode === 'files_with_matches' ? output.filenames.join('\n') : output.content;
  return { text: text ?? '' };
}
