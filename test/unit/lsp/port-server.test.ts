// A language server behind a message port: JSON-RPC by messages, texts of the call, and nothing of another version.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPortLanguageServer } from '../../../src/lsp/port-server.ts';
import type { LanguageFiles, LanguageServer } from '../../../src/lsp/language-server.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

/** Plays the server: what `reply` gives is sent, in its order. `near`: the client's sides of the ports, oldest first. */
function openServer(
  reply: (message: Message) => readonly (object | string)[],
  capabilities: object = {},
) {
  const heard: Message[] = [];
  const near: MessagePort[] = [];
  const far: MessagePort[] = [];
  const connect = () => {
    const { port1, port2 } = new MessageChannel();
    near.push(port1);
    far.push(port2);
    port2.addEventListener('message', ({ data }) => {
      heard.push(data);
      const messages =
        data.method === 'initialize' ? [{ id: data.id, result: { capabilities } }] : reply(data);
      for (const message of messages) {
        port2.postMessage(typeof message === 'string' ? message : { jsonrpc: '2.0', ...message });
      }
    });
    port2.start();
    return port1;
  };
  const server = createPortLanguageServer({
    id: 'toy',
    files: ['*.toy'],
    languageId: 'toy',
    connect,
  });
  onTestFinished(() => {
    server.release?.();
    for (const port of far) port.close();
  });
  return { server, heard, near };
}

function ask(
  server: LanguageServer,
  method: Parameters<LanguageServer['request']>[0],
  text: string,
  signal = new AbortController().signal,
  deadline = Infinity,
): Promise<unknown> {
  const files: LanguageFiles = {
    cwd: '/work',
    isFile: () => true,
    isDirectory: () => true,
    readText: () => text,
    versionOf: () => text,
    list: () => ({ files: [], directories: [] }),
    realPath: (path) => path,
  };
  const params = { textDocument: { uri: 'file:///work/a.toy' }, position: nowhere.start };
  return server.request(method, params, {
    files,
    signal,
    deadline,
    onProgress: () => undefined,
    onScope: () => undefined,
  });
}

describe('a language server behind a port', () => {
  it('is given the file’s text of each call, and its changes', async () => {
    const { server, heard } = openServer(
      ({ id, method }) => (method === 'textDocument/hover' ? [{ id, result: null }] : []),
      { hoverProvider: true },
    );
    for (const text of ['one', 'one', 'two']) await ask(server, 'textDocument/hover', text);
    expect(heard.map(({ method }) => method)).toEqual([
      'initialize',
      'initialized',
      'textDocument/didOpen',
      'textDocument/hover',
      'textDocument/hover',
      'textDocument/didChange',
      'textDocument/hover',
    ]);
    expect(heard[5]?.params).toEqual({
      textDocument: { uri: 'file:///work/a.toy', version: 2 },
      contentChanges: [{ text: 'two' }],
    });
  });

  it('waits for what is published of the version that was asked about', async () => {
    const fault = (message: string) => ({ range: nowhere, message });
    const publish = (version: number, message: string) => ({
      method: 'textDocument/publishDiagnostics',
      params: { uri: 'file:///work/a.toy', version, diagnostics: [fault(message)] },
    });
    const { server } = openServer(({ method }) =>
      method === 'textDocument/didOpen' ? [publish(0, 'stale'), publish(1, 'fresh')] : [],
    );
    expect(await ask(server, 'textDocument/diagnostic', 'one')).toEqual({
      kind: 'full',
      items: [fault('fresh')],
    });
    expect(await ask(server, 'textDocument/diagnostic', 'one')).toEqual({
      kind: 'full',
      items: [fault('fresh')],
    });
  });

  it('takes what is published of the same file by another spelling of its URI', async () => {
    const fault = { range: nowhere, message: 'fresh' };
    const { server } = openServer(({ method }) => {
      if (method !== 'textDocument/didOpen') return [];
      const params = { uri: 'file:///work/%61.toy', version: 1, diagnostics: [fault] };
      return [{ method: 'textDocument/publishDiagnostics', params }];
    });
    expect(await ask(server, 'textDocument/diagnostic', 'one')).toEqual({
      kind: 'full',
      items: [fault],
    });
  });

  it('answers what the server asks, passes its failure on, and knows what it doesn’t have', async () => {
    const { server, heard } = openServer(
      ({ id, method }) =>
        method === 'textDocument/definition'
          ? [
              { id: 7, method: 'workspace/configuration', params: { items: [{}, {}] } },
              { id, error: { code: -32603, message: 'It broke.' } },
            ]
          : [],
      { definitionProvider: true },
    );
    await expect(ask(server, 'textDocument/definition', 'x')).rejects.toThrow(
      'The language server toy failed: It broke.',
    );
    await expect(ask(server, 'textDocument/references', 'x')).rejects.toThrow(
      'The language server toy has no textDocument/references.',
    );
    const answered = { jsonrpc: '2.0', id: 7, result: [null, null] };
    await expect.poll(() => heard, { timeout: 240_000 }).toContainEqual(answered);
  });

  it('takes messages as texts, and ignores what it only logs', async () => {
    const { server } = openServer(
      ({ id }) => [
        'Looking at a.toy …',
        JSON.stringify({ jsonrpc: '2.0', id, result: { contents: 'Said.' } }),
      ],
      { hoverProvider: true },
    );
    expect(await ask(server, 'textDocument/hover', 'a')).toEqual({ contents: 'Said.' });
  });

  it('cancels a request that is cut, and goes on', async () => {
    const cut = new AbortController();
    const { server, heard } = openServer(
      ({ id, method, params }) => {
        if (method === '$/cancelRequest') return [];
        if (method !== 'textDocument/hover') return [];
        if (!cut.signal.aborted) {
          cut.abort();
          return [];
        }
        return [{ id, result: params }];
      },
      { hoverProvider: true },
    );
    await expect(ask(server, 'textDocument/hover', 'x', cut.signal)).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(await ask(server, 'textDocument/hover', 'x')).toBeDefined();
    expect(heard.map(({ method }) => method)).toContain('$/cancelRequest');
  });

  it('is started anew where it has not answered by the deadline', async () => {
    let isSilent = false;
    const { server, near } = openServer(
      ({ id, method }) =>
        method === 'textDocument/hover' && !isSilent ? [{ id, result: 'Here.' }] : [],
      { hoverProvider: true },
    );
    expect(await ask(server, 'textDocument/hover', 'x')).toBe('Here.');
    isSilent = true;
    const { signal } = new AbortController();
    const late = ask(server, 'textDocument/hover', 'x', signal, performance.now());
    const next = ask(server, 'textDocument/hover', 'x');
    await expect(late).rejects.toMatchObject({ code: 'limit-exceeded', data: { server: 'toy' } });
    isSilent = false;
    expect(await next).toBe('Here.');
    expect(near).toHaveLength(2);
  });

  it.each(['error', 'close'])(
    'is started anew after its %s, which ends what was asked',
    async (type) => {
      const { server, near } = openServer(
        ({ id, method }) => {
          if (method !== 'textDocument/hover') return [];
          if (near.length > 1) return [{ id, result: 'Here.' }];
          near[0]?.dispatchEvent(new Event(type));
          return [];
        },
        { hoverProvider: true },
      );
      await expect(ask(server, 'textDocument/hover', 'x')).rejects.toMatchObject({
        code: 'worker-lost',
      });
      expect(await ask(server, 'textDocument/hover', 'x')).toBe('Here.');
    },
  );
});
