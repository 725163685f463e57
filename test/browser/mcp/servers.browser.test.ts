// MCP servers of another origin, as a page has them: a worker of their own speaks with them.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { expectEverything, playEverything } from '../../support/mcp/play-everything.ts';
import { callTool, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

async function openHost(): Promise<BrowserHost> {
  const workspace = `mcp-${crypto.randomUUID()}`;
  const host = await createBrowserHost({
    workspace,
    driver: 'memory',
    assets: { wasm: wasmUrl },
    // A slow machine that does much else has taken 10 s and more for it.
    mcp: { bounds: { connectMs: 120_000 } },
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  return host;
}

const findServer = async () => (await fetch('/mcp-server')).text();

it('calls a server’s tools from a page, and ends its connections with the host', async () => {
  const host = await openHost();
  const url = await findServer();
  const turns = [callTool('mcp__there__echo', { text: 'Hello.' }), say('Done.')];
  const { messages } = await runHooked(host, turns, {
    settlesServers: true,
    mcpServers: { there: { type: 'http', url, alwaysLoad: true } },
    permissionMode: 'bypassPermissions',
  });
  expect(toResults(messages)).toEqual(['Hello.']);
});

it('tells the model and the host what a server must allow that can’t be reached', async () => {
  const host = await openHost();
  const url = (await findServer()).replace('/mcp', '/closed');
  const header = 'Access-Control-Allow-Origin';
  const sent = () => JSON.stringify(requests);
  /** It is tried again and again, and only known to have failed in between. */
  async function* askUntilTold(): AsyncGenerator<SDKUserMessage> {
    while (!sent().includes(header)) {
      await expect.poll(async () => (await asked.mcpServerStatus())[0]?.error).toContain(header);
      yield {
        ...{ type: 'user', parent_tool_use_id: null },
        message: { role: 'user', content: 'Go.' },
      };
    }
  }
  const requests: (readonly MessageParam[])[] = [];
  const answering = createScriptedModel({
    script: { turns: Array.from({ length: 50 }, () => say('Done.')) },
  });
  const model: Model = {
    ...answering,
    stream(request, options) {
      requests.push(request.messages);
      return answering.stream(request, options);
    },
  };
  const there = { type: 'http', url, alwaysLoad: true } as const;
  const asked: Query = query({
    prompt: askUntilTold(),
    options: { host, model, toolSearch: false, mcpServers: { there } },
  });
  for await (const _ of asked);
  expect(sent()).toContain('Access-Control-Expose-Headers');
});

it('cuts a call that runs into its deadline, and the next one is answered', async () => {
  const host = await openHost();
  const url = await findServer();
  const turns = [
    callTool('mcp__there__slow', {}, 'one'),
    callTool('mcp__there__echo', { text: 'On.' }, 'two'),
    say('Done.'),
  ];
  const { messages } = await runHooked(host, turns, {
    settlesServers: true,
    mcpServers: { there: { type: 'http', url, alwaysLoad: true, timeout: 3_000 } },
    permissionMode: 'bypassPermissions',
  });
  const [slow, echo] = toResults(messages);
  expect(slow).toContain('3 s');
  expect(echo).toBe('On.');
});

it('crosses its worker with resources, prompts, forms and samplings of the reference server', async () => {
  const url = await (await fetch('/everything-server')).text();
  expectEverything(await playEverything(await openHost(), url));
});
