// Servers behind a MessagePort and a WebSocket, as the thread's client reaches them.
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { createThreadMcpClient } from '../../../src/mcp/client/thread-client.ts';
import { query } from '../../../src/agent/query.ts';
import type { McpPortServerConfig } from '../../../src/core/mcp/mcp-server.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';

/** One message of the protocol in each message, on the server's side. */
interface Wire {
  send(message: unknown): void;
  onMessage(hear: (message: unknown) => void): void;
}

async function serve(wire: Wire): Promise<void> {
  const server = new McpServer({ name: 'near', version: '1' });
  server.registerTool(
    'echo',
    { description: 'Says the same.', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  const transport: Parameters<McpServer['connect']>[0] = {
    async start() {},
    async send(message: unknown) {
      wire.send(message);
    },
    async close() {},
  };
  await server.connect(transport);
  wire.onMessage((message) => transport.onmessage?.(message as never));
}

afterEach(() => void vi.unstubAllGlobals());

const echo = () => [callTool('mcp__near__echo', { text: 'Hello.' }), say('Done.')];

describe('a server behind a MessagePort', () => {
  it('offers its tools, and again when it is connected anew', async () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    await serve({
      send: (message) => port2.postMessage(message),
      onMessage: (hear) => port2.addEventListener('message', ({ data }) => hear(data)),
    });
    port2.start();
    await using host = await openHost();
    const near: McpPortServerConfig = { type: 'port', port: port1, alwaysLoad: true };
    const { messages } = await runHooked(host, echo(), {
      mcpServers: { near },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(messages)).toEqual(['Hello.']);
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const asked = query({ prompt: 'Go.', options: { host, model, mcpServers: { near } } });
    await asked.reconnectMcpServer('near');
    expect(await asked.mcpServerStatus()).toMatchObject([{ status: 'connected' }]);
    asked.close();
  });
});

describe('a server by a WebSocket', () => {
  /** A socket to the server above. Its list of tools may be a message that nobody can want. */
  function stubSocket(list?: string): void {
    class Socket extends EventTarget {
      hear: (message: unknown) => void = () => {};
      constructor() {
        super();
        void serve({
          send: (message) => this.tell(JSON.stringify(message)),
          onMessage: (hear) => {
            this.hear = hear;
          },
        }).then(() => {
          this.dispatchEvent(new Event('open'));
        });
      }
      tell(data: string) {
        this.dispatchEvent(new MessageEvent('message', { data }));
      }
      send(text: string) {
        if (list !== undefined && text.includes('tools/list')) this.tell(list);
        else this.hear(JSON.parse(text));
      }
      close() {
        this.dispatchEvent(new Event('close'));
      }
    }
    vi.stubGlobal('WebSocket', Socket);
  }

  it('offers its tools', async () => {
    stubSocket();
    await using host = await openHost();
    const { messages } = await runHooked(host, echo(), {
      mcpServers: { near: { type: 'ws', url: 'wss://near.example', alwaysLoad: true } },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(messages)).toEqual(['Hello.']);
  });

  it('that sends more than may be is no connection any more', async () => {
    stubSocket('x'.repeat(2_000));
    const fetchPort = createServerFetch((url, init) => fetch(url, init));
    const bounds = { messageBytes: 1_000, connectMs: 1_000 };
    const client = createThreadMcpClient({ fetch: fetchPort, now: Date.now }, { bounds });
    const { signal } = new AbortController();
    const connecting = client.connect(
      'near',
      { type: 'ws', url: 'wss://near.example' },
      { ...toListeners(), signal, onTools: () => undefined },
    );
    await expect(connecting).rejects.toMatchObject({ code: 'mcp-failed' });
  });
});
