// A stop travels from the page to the innermost loop of a call in a real worker, which lives on.
import { expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import * as z from 'zod';
import { query } from '../../../src/agent/query.ts';
import { buildTool, type ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';

const schema = z.record(z.string(), z.string());

const workerTool = (name: string): Tool =>
  buildTool({
    name,
    inputSchema: schema,
    runsIn: 'worker',
    description: () => Promise.resolve('Of the test.'),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => true,
    mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) =>
      ({ type: 'tool_result', tool_use_id: toolUseID, content: String(output) }) as const,
  } satisfies ToolDef<typeof schema>) as unknown as Tool;

it('interrupt() reaches the innermost loop of a call, and its worker is there for the next', async () => {
  const host = await createBrowserHost({
    workspace: `interrupt-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl, toolWorker },
  });
  const sessionId = crypto.randomUUID();
  const start = (name: string) =>
    query({
      prompt: 'Go.',
      options: {
        host,
        sessionId,
        persistSession: false,
        tools: [workerTool('Loop'), workerTool('LoopsLeft')],
        model: createScriptedModel({
          script: {
            turns: [
              { blocks: [{ type: 'tool_use', name, input: {} }] },
              { blocks: [{ type: 'text', text: 'Done.' }] },
            ],
          },
        }),
      },
    });
  try {
    const looping = start('Loop');
    let receipt: ReturnType<typeof looping.interrupt> | undefined;
    for await (const message of looping) {
      if (message.type === 'tool_progress') receipt = looping.interrupt();
    }
    expect((await receipt)?.cut).toMatchObject([{ tool_name: 'Loop' }]);

    const messages: SDKMessage[] = [];
    for await (const message of start('LoopsLeft')) messages.push(message);
    const results = messages.flatMap((message) =>
      message.type === 'user' ? [message.tool_use_result] : [],
    );
    // A worker that had been ended and replaced would know of none.
    expect(results).toEqual([1]);
  } finally {
    await host.destroy();
  }
});
