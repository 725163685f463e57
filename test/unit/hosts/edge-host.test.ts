import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createEdgeHost } from '../../../src/hosts/edge/create-edge-host.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';

describe('createEdgeHost', () => {
  it('runs a turn with a cell, from the compiled module alone', async () => {
    const host = await createEdgeHost({ wasm: await loadQuickjsWasm() });
    const model = createScriptedModel({
      script: {
        turns: [
          { blocks: [{ type: 'tool_use', id: 'cell', name: 'Repl', input: { code: '6 * 7' } }] },
          { blocks: [{ type: 'text', text: 'It is {{cell:/(\\d+)/}}.' }] },
        ],
      },
    });
    const messages = [];
    for await (const message of query({ prompt: 'Go.', options: { host, model } })) {
      messages.push(message);
    }
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'It is 42.' });
    expect(host.kind).toBe('edge');
    await host[Symbol.asyncDispose]();
  });

  it.each([undefined, new Uint8Array(8), 'quickjs.wasm'])(
    'refuses what is no compiled module: %s',
    async (wasm) => {
      await expect(createEdgeHost({ wasm: wasm as never })).rejects.toMatchObject({
        code: 'bad-usage',
      });
    },
  );
});
