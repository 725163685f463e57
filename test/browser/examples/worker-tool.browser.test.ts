// docs/examples/worker-tool: a host's own tool in its own worker entry, beside the built-in ones.
import { expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorkerUrl from '../../../docs/examples/worker-tool/tools.worker.ts?worker&url';
import { countTool } from '../../../docs/examples/worker-tool/tool.ts';
import { query } from '../../../src/agent/query.ts';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';

it(
  'runs a host’s own tool and a built-in one in the same worker',
  { timeout: 600_000 },
  async () => {
    const host = await createBrowserHost({
      workspace: `worker-tool-${crypto.randomUUID()}`,
      driver: 'memory',
      assets: {
        wasm: wasmUrl,
        toolWorker: toolWorkerUrl,
      },
    });
    const call = (name: string, file_path: string) => ({
      type: 'tool_use',
      name,
      input: { file_path },
    });
    const blocks = [call('CountWords', 'a.txt'), call('Read', 'a.txt'), call('CountWords', 'none')];
    const script = { turns: [{ blocks }, { blocks: [{ type: 'text', text: 'Done.' }] }] } as never;
    try {
      await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'one two\nthree');
      const tools = [...(await host.loadTools()), countTool];
      const results: unknown[] = [];
      const model = createScriptedModel({ script });
      for await (const message of query({ prompt: 'Count.', options: { host, model, tools } })) {
        if (message.type === 'user' && typeof message.message.content !== 'string') {
          results.push(...message.message.content);
        }
      }
      expect(results).toMatchObject([
        { content: `${host.cwd}/a.txt has 3 words.` },
        { content: expect.stringContaining('three') },
        { is_error: true, content: expect.stringContaining('There is no none.') },
      ]);
    } finally {
      await host[Symbol.asyncDispose]();
    }
  },
);
