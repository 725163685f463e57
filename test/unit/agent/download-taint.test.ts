// Which of an agent's calls bring text from outside to where cells find it.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { background, converse, taskOf, type Conversation } from '../../support/turns/background.ts';

const anything = z.strictObject({ length: z.number().optional() });

const downloaded = 'globalThis.ran = true;';

interface Context {
  callTool(name: string, input: unknown): Promise<unknown>;
}

function pageTool(
  name: string,
  work: (input: z.output<typeof anything>, context: Context) => unknown,
  changes: Partial<ToolDef<typeof anything, unknown>> = {},
): Tool {
  return buildTool({
    name,
    inputSchema: anything,
    maxResultSizeChars: 10_000,
    description: () => Promise.resolve(''),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (output: unknown, tool_use_id: string) => ({
      type: 'tool_result',
      tool_use_id,
      content: String(output),
    }),
    call: async (input: z.output<typeof anything>, context: unknown) => ({
      data: await work(input, context as Context),
    }),
    ...changes,
  } as ToolDef<typeof anything, unknown>) as unknown as Tool;
}

const tools = [
  pageTool('Remote', ({ length = 0 }) => downloaded.padEnd(length), {
    isOpenWorld: () => true,
    isReadOnly: () => true,
  }),
  pageTool('Failing', () => Promise.reject(new Error(downloaded)), { isOpenWorld: () => true }),
  pageTool('Own', () => downloaded),
  pageTool('Relay', async (_input, context) => context.callTool('Remote', {})),
];

async function talk(run: (conversation: Conversation, host: Host) => Promise<void>): Promise<void> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  await host.workspace.fs.writeFile('/workspace/old.mjs', 'export default 1;');
  try {
    const conversation = converse(host, {
      tools: [...(await host.loadTools()), ...tools],
      allowedTools: ['Remote', 'Failing', 'Own', 'Relay', 'Repl'],
    });
    conversation.say('Go.');
    await run(conversation, host);
    await conversation.end();
  } finally {
    await host[Symbol.asyncDispose]();
  }
}

const refused = { name: 'PermissionDenied', message: expect.stringMatching(/text from outside/u) };

describe('text from outside', () => {
  it.each([
    ['a remote tool that a cell calls', 'globalThis.text = await tools.Remote({})'],
    ['the failure of one', 'globalThis.text = await tools.Failing({}).catch((e) => e.message)'],
    ['a tool that calls a remote one', 'globalThis.text = await tools.Relay({})'],
    ['one in a cell that fails', 'await tools.Remote({}); throw new Error("no")'],
  ])('is brought into a session by %s', (_name, code) =>
    talk(async (conversation) => {
      let asked = await conversation.cell(await conversation.asked(), code);
      asked = await conversation.cell(asked, 'eval("1")');
      expect(conversation.lastOutput().error).toMatchObject(refused);
      asked = await conversation.cell(asked, "(await import('./old.mjs')).default");
      expect(conversation.lastOutput().value).toBe(1);
      asked.say('Done.');
    }),
  );

  it('is not brought in by a tool that reaches nothing', () =>
    talk(async (conversation) => {
      let asked = await conversation.cell(await conversation.asked(), 'await tools.Own({})');
      asked = await conversation.cell(asked, 'eval("1")');
      expect(conversation.lastOutput().value).toBe(1);
      asked.say('Done.');
    }));

  it('is brought in by a remote result that the model alone gets', () =>
    talk(async (conversation) => {
      let asked = await conversation.asked();
      asked.call({ id: 'remote', name: 'Remote', input: {} });
      asked = await conversation.asked();
      asked = await conversation.cell(asked, 'eval("1")');
      expect(conversation.lastOutput().error).toMatchObject(refused);
      asked.say('Done.');
    }));

  it('is brought in by a remote result that is kept in a file', () =>
    talk(async (conversation) => {
      let asked = await conversation.asked();
      asked.call({ id: 'remote', name: 'Remote', input: { length: 20_000 } });
      asked = await conversation.asked();
      const path = /\/session\/\S+(?=: Read)/u.exec(asked.news)?.[0] ?? '';
      expect(path).not.toBe('');
      for (const code of [
        `eval(fs.readFileSync('${path}', 'utf8'))`,
        `await import('${path}')`,
        `require('${path}')`,
      ]) {
        asked = await conversation.cell(asked, code);
        expect(conversation.lastOutput().error).toMatchObject(refused);
      }
      asked.say('Done.');
    }));

  it('is brought in by a cell in the background, from its answer on', () =>
    talk(async (conversation, host) => {
      const code = "fs.writeFileSync('new.mjs', await tools.Remote({})); console.log('x')";
      let asked = await conversation.cell(await conversation.asked(), code, background);
      const { status } = await conversation.taskEnd(taskOf(conversation));
      expect(status).toBe('completed');
      expect(await host.workspace.fs.readFile('/workspace/new.mjs', 'utf8')).toBe(downloaded);
      for (const line of ["await import('./new.mjs')", 'eval("1")']) {
        asked = await conversation.cell(asked, line);
        expect(conversation.lastOutput().error).toMatchObject(refused);
      }
      asked = await conversation.cell(asked, "(await import('./old.mjs')).default");
      expect(conversation.lastOutput().value).toBe(1);
      asked.say('Done.');
    }));
});
