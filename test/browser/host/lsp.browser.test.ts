// LSP as a page has it: a worker of its own follows the workspace, loads the compiler, and is ended when it hangs.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { expect, it, onTestFinished } from 'vitest';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { callTool, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

it('answers from a worker of its own, of the files as edits have left them', async () => {
  const languageWorker = new URL(
    '../../../src/hosts/browser/lsp-worker/language.worker.ts?worker_file&type=module',
    import.meta.url,
  );
  // The tests' server bundles it for its first request. A worker would be given up meanwhile.
  await (await fetch(languageWorker)).text();
  const host = await createBrowserHost({
    workspace: `lsp-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: {
      wasm: wasmUrl,
      languageWorker,
    },
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  await host.workspace.fs.writeFile(
    '/workspace/tsconfig.json',
    JSON.stringify({ compilerOptions: { strict: true, lib: ['es2022'], types: [] } }),
  );
  const diagnose = (id: string) => callTool('LSP', { operation: 'diagnostics' }, id);
  const write = (id: string, content: string) =>
    callTool('Write', { file_path: '/workspace/a.ts', content }, id);
  const turns = [
    write('one', 'export const n: number = [1].map(String);\n'),
    diagnose('two'),
    write('three', 'export const n: string[] = [1].map(String);\n'),
    diagnose('four'),
    callTool('Repl', { code: "await tools.LSP({ operation: 'diagnostics' })" }, 'five'),
    say('Done.'),
  ];
  const { messages } = await runHooked(host, turns, {
    permissionMode: 'bypassPermissions',
    toolSearch: false,
  });
  const [, wrong, , right, nested] = toResults(messages);
  expect(wrong).toBe(
    "/workspace/a.ts:1:14 error ts2322: Type 'string[]' is not assignable to type 'number'.\n\n" +
      '(1 in 1 file; typescript, tsconfig.json.)',
  );
  expect(right).toBe('No errors and no warnings (typescript, tsconfig.json).');
  expect(nested).toContain("LSP can't be called by a cell's code");
});
