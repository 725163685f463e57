// Deferred tools, and those that REPL mode keeps for cells, as a cell finds and calls them.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { insideOnlyTools } from '../../../src/agent/registry/tool-gates.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { offeredNames } from '../../support/stages/catalogue.ts';
import { runCells } from '../../support/turns/run-cells.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function openInline(): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  hosts.push(host);
  await host.workspace.fs.writeFile(`${host.cwd}/a.ts`, 'one\ntwo\nthree\n');
  return host;
}

const readFile = (host: Host, name: string) =>
  host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8');

describe('deferred tools in a cell', () => {
  const notebook = JSON.stringify({
    cells: [{ cell_type: 'code', id: 'one', metadata: {}, outputs: [], source: 'a' }],
    nbformat: 4,
  });

  it('are found by tools.search, and called without being loaded for the model', async () => {
    const host = await openInline();
    await host.workspace.fs.writeFile(`${host.cwd}/a.ipynb`, notebook);
    const { outputs } = await runCells(
      host,
      [
        `const [found] = await tools.search('notebook jupyter');
         fs.readFileSync('a.ipynb');
         const { old_source } = await tools[found.name]({ notebook_path: 'a.ipynb', cell_id: 'one', new_source: 'b' });
         [found.name, Object.keys(found.input_schema.properties).join(), old_source]`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(outputs[0]).toMatchObject({
      rolledBack: false,
      display: `[\n  'NotebookEdit',\n  'notebook_path,cell_id,new_source,cell_type,edit_mode',\n  'a'\n]`,
    });
    expect(await readFile(host, 'a.ipynb')).toContain(`"source":"b"`);
  });

  it('are what tools on files become in REPL mode, and tools.search tells what they take', async () => {
    const host = await openInline();
    const { outputs, messages } = await runCells(
      host,
      [
        `const found = await tools.search('select:Read,Edit'); const { file } = await tools.Read({ file_path: 'a.ts' });
         console.log(JSON.stringify([found.map(({ name }) => name), file.content.length, Object.keys(tools)]))`,
      ],
      { replMode: true },
    );
    const inside = offeredNames.filter((name) => insideOnlyTools.has(name));
    const outside = offeredNames.filter((name) => !insideOnlyTools.has(name));
    expect(messages[0]).toMatchObject({ subtype: 'init', tools: outside });
    const callable = [...outside.filter((name) => name !== 'Repl'), ...inside];
    expect(outputs[0]?.stdout.trim()).toBe(JSON.stringify([['Read', 'Edit'], 13, callable]));
  });

  it('are not there for a cell where a rule denies ToolSearch to cells', async () => {
    const host = await openInline();
    const { outputs } = await runCells(host, [`await tools.search('jupyter')`], {
      disallowedTools: ['Repl(tools:ToolSearch)'],
    });
    expect(outputs[0]?.error).toMatchObject({ name: 'PermissionDenied' });
  });
});
