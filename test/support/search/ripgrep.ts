// Asks a real ripgrep the questions that Grep is asked. Only for Node.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ripgrep } from 'ripgrep';
import { splitGlobs } from '../../../src/core/glob/search-glob.ts';
import type { SearchFiles, SearchQuery } from './search-fixture.ts';

export type RunRipgrep = (
  args: readonly string[],
) => Promise<{ readonly code: number; readonly stdout: string }>;

/** What Grep should answer: its text, or that it should refuse. */
export type SearchAnswer = { readonly text: string } | { readonly refused: true };

export function writeTree(directory: string, { contents, mtimeOf }: SearchFiles): void {
  for (const [name, content] of Object.entries(contents)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, mtimeOf(name), mtimeOf(name));
  }
}

/** Real ripgrep 15.1, compiled to wasm, over one directory. */
export function createRipgrep(directory: string): RunRipgrep {
  const options = { buffer: true, env: {}, preopens: { '.': directory }, nodeWasi: false } as const;
  return (args) => ripgrep([...args], options);
}

export async function askRipgrep(
  run: RunRipgrep,
  query: SearchQuery,
  { mtimeOf }: Pick<SearchFiles, 'mtimeOf'>,
): Promise<SearchAnswer> {
  const { code, stdout } = await run(toArguments(query));
  if (code === 2 && stdout === '') return { refused: true };
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/^(?:\.\/)+/, ''));
  const mode = query['output_mode'] ?? 'files_with_matches';
  if (mode === 'files_with_matches') {
    // They come by path, which stays the order within a moment.
    lines.sort((a, b) => mtimeOf(b) - mtimeOf(a));
  }
  const offset = Number(query['offset'] ?? 0);
  const limit = Number(query['head_limit'] ?? 0) || Infinity;
  return { text: lines.slice(offset, offset + limit).join('\n') };
}

function toArguments(query: SearchQuery): string[] {
  const args = ['--no-config', '--color=never', '--no-heading', '--with-filename', '--hidden'];
  args.push('--no-require-git', '--sort=path');
  const mode = query['output_mode'] ?? 'files_with_matches';
  if (query['multiline']) args.push('--multiline', '--multiline-dotall');
  if (query['-i']) args.push('-i');
  if (query['-o']) args.push('-o');
  if (query['type']) args.push(`--type=${query['type']}`);
  for (const glob of splitGlobs(String(query['glob'] ?? ''))) args.push(`--glob=${glob}`);
  if (mode === 'files_with_matches') args.push('-l');
  else if (mode === 'count') args.push('-c');
  else args.push(query['-n'] === false ? '-N' : '-n');
  const around = query['-C'] ?? query['context'];
  if (around !== undefined) args.push(`-C${around}`);
  if (query['-A'] !== undefined) args.push(`-A${query['-A']}`);
  if (query['-B'] !== undefined) args.push(`-B${query['-B']}`);
  return [...args, `--regexp=${query.pattern}`, `./${query['path'] ?? ''}`];
}
