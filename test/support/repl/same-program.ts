// One program in Node and in a cell: what it tells by `log` is compared.
import { createRequire } from 'node:module';
import { openRepl } from './repl.ts';

const nodeRequire = createRequire(import.meta.url);

type Program = (
  require: NodeJS.Require,
  log: (...values: unknown[]) => void,
  folder: string,
) => unknown;

/** What the program tells in Node, where `folder` is that path. */
export async function tellInNode(code: string, folder = ''): Promise<unknown[]> {
  const told: string[] = [];
  // oxlint-disable-next-line no-new-func -- the same text runs in Node and in a cell
  const run = new Function(
    'require',
    'log',
    'folder',
    `return (async () => { ${code} })()`,
  ) as Program;
  await run(nodeRequire, (...values) => told.push(JSON.stringify(values)), folder);
  return told.map((text) => JSON.parse(text) as unknown);
}

/** What it tells in a cell, where `folder` holds these files. */
export async function tellInCell(
  code: string,
  files: Readonly<Record<string, string>> = {},
): Promise<unknown[]> {
  const repl = await openRepl(files);
  const head =
    "const told = []; const log = (...values) => told.push(JSON.stringify(values)); const folder = '/work';";
  const { error, stdout } = await repl.run(
    `${head} await (async () => { ${code} })(); console.log(JSON.stringify(told))`,
  );
  // What it threw says where, which a comparison would not.
  if (error) throw new Error(`${error.name}: ${error.message}`);
  return (JSON.parse(stdout) as string[]).map((text) => JSON.parse(text) as unknown);
}
