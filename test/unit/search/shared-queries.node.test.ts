// Queries that others wrote, with a tree of their own and their own way to ask ripgrep. They lie beside
// this checkout, where they are; elsewhere this file is left out.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ripgrep } from 'ripgrep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGrep } from '../../support/search/ask-grep.ts';
import { createToolBench, type ToolBench } from '../../support/stages/run-tool.ts';
import type { SearchQuery } from '../../support/search/search-fixture.ts';

const folder = new URL('../../../../shared/tools/search/', import.meta.url);
const isThere = existsSync(folder);

interface Oracle {
  expected(
    query: SearchQuery,
    directory: string,
    execute: (args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>,
  ): Promise<{ readonly error: string | null; readonly text: string }>;
}

/** The same files and links in a workspace, written at the same times. */
async function readTree(directory: string): Promise<ToolBench> {
  const entries = [...listTree(directory)];
  const files = entries.filter((path) => lstatSync(path).isFile());
  const links = entries.filter((path) => lstatSync(path).isSymbolicLink());
  const bench = await createToolBench(
    Object.fromEntries(
      files.map((path) => [relative(directory, path), new Uint8Array(readFileSync(path))]),
    ),
  );
  const { fs } = bench.workspace;
  for (const path of files) {
    const seconds = lstatSync(path).mtimeMs / 1_000;
    await fs.utimes(`/work/${relative(directory, path)}`, seconds, seconds);
  }
  for (const path of links) {
    await fs.symlink(readlinkSync(path), `/work/${relative(directory, path)}`);
  }
  return bench;
}

/** All that is no directory, links as themselves. */
function* listTree(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) yield path;
    else if (entry.name !== '.git') yield* listTree(path);
  }
}

describe.runIf(isThere)('Grep answers the queries beside this checkout as ripgrep does', () => {
  const queries = isThere
    ? (JSON.parse(readFileSync(new URL('queries.json', folder), 'utf8')) as SearchQuery[])
    : [];
  const directory = join(mkdtempSync(join(tmpdir(), 'shared-queries-')), 'tree');
  let oracle: Oracle;
  let bench: ToolBench;
  beforeAll(async () => {
    const maker = fileURLToPath(new URL('make-fixture.mjs', folder));
    execFileSync(process.execPath, [maker, directory]);
    // Its type stands above: it isn't ours.
    oracle = (await import(/* @vite-ignore */ new URL('expected.mjs', folder).href)) as Oracle;
    bench = await readTree(directory);
  });
  afterAll(() => rmSync(join(directory, '..'), { recursive: true }));

  it.each(queries.map((query) => [JSON.stringify(query), query] as const))(
    '%s',
    async (_name, { id: _id, ...query }) => {
      const { error, text } = await oracle.expected(
        query as SearchQuery,
        directory,
        async (args) => {
          const preopens = { '.': directory };
          return ripgrep(args, { buffer: true, env: {}, preopens, nodeWasi: false });
        },
      );
      const answer = await askGrep(bench, query as SearchQuery);
      expect(answer).toEqual(error === null ? { text } : { refused: true });
    },
  );
});
