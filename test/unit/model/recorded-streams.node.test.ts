// Whole streams through the real path (HTTP, model, collect), cut in every way that a network cuts.
// Ours (test/fixtures/streams) stand with the message that each must give. The recorded ones lie
// beside this checkout, where they are. They are compared with the replay server's answer to the
// same request without `stream`. They are compared with what the Anthropic client's own accumulator
// makes of them, too.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BetaMessageStream } from '@anthropic-ai/sdk/lib/BetaMessageStream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect } from '../../../src/agent/messages/collect.ts';
import type { AssistantMessage } from '../../../src/core/messages/messages.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { startMessagesServer } from '../../support/models/messages-server.ts';
import type { MessagesServer } from '../../support/models/messages-server.ts';

const root = new URL('../../../', import.meta.url);
const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: 'Go on.' }],
};

async function readMessage(baseURL: string): Promise<AssistantMessage> {
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: 'key',
    baseURL,
    maxRetries: 0,
  });
  const signal = new AbortController().signal;
  for await (const item of collect(model.stream(request, { signal }))) {
    if (item.type === 'message') return item.message;
  }
  throw new Error('collect ended without a message');
}

describe('our own streams', () => {
  const folder = new URL('test/fixtures/streams/', root);
  const names = readdirSync(folder).flatMap((file) => /^(.+)\.sse$/.exec(file)?.[1] ?? []);
  let server: MessagesServer;
  beforeAll(async () => {
    server = await startMessagesServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('are all there', () => {
    expect(names).toHaveLength(6);
  });

  it.each(names)('give the message that stands beside them, in any chunking: %s', async (name) => {
    const text = readFileSync(new URL(`${name}.sse`, folder), 'utf8');
    const expected: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
    server.answer({ type: 'stream', text }, { type: 'stream', text, sizes: [7], crlf: true });
    expect(await readMessage(server.url)).toEqual(expected);
    expect(await readMessage(server.url)).toEqual(expected);
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (someSizes, crlf) => {
        server.answer({ type: 'stream', text, sizes: someSizes, crlf });
        expect(await readMessage(server.url)).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});

const shared = new URL('../shared/', root);
const recordings = new URL('data/streams/', shared);
const replayServer = new URL('tools/replay-server.mjs', shared);
const areThere = existsSync(new URL('manifest.json', recordings)) && existsSync(replayServer);

interface Recording {
  readonly id: string;
  readonly file: string;
}
const manifest = areThere
  ? (JSON.parse(readFileSync(new URL('manifest.json', recordings), 'utf8')) as Recording[])
  : [];
const streams = manifest.filter(({ file }) => file.endsWith('.sse')).map(({ id }) => id);

describe.skipIf(!areThere)('the recorded streams (in ../shared, where it is there)', () => {
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const args = [fileURLToPath(replayServer), '--dir', fileURLToPath(recordings)];
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (!child.stdout) throw new Error('the replay server has no output');
    for await (const line of createInterface(child.stdout)) {
      ({ url } = JSON.parse(line) as { url: string });
      break;
    }
  });
  afterAll(() => {
    child.kill();
  });

  /** The server's answer to the same request without `stream`. */
  async function askWhole(id: string): Promise<unknown> {
    const response = await fetch(`${url}/r/${id}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'claude-test', max_tokens: 1, messages: request.messages }),
    });
    return response.json();
  }

  it('are 44', () => {
    expect(streams).toHaveLength(44);
  });

  describe.each([
    ['whole events', ''],
    ['random chunks', ';chunk=rand'],
    ['random chunks, other ones, with pings', ';chunk=rand;seed=7;pings=2'],
    ['7-byte chunks with CRLF', ';chunk=7;crlf=1'],
  ])('in %s', (_name, options) => {
    it.each(streams)('give the same message as without streaming: %s', async (id) => {
      expect(await readMessage(`${url}/r/${id}${options}`)).toEqual(await askWhole(id));
    });
  });

  // The client's accumulator refuses a second message_start, so that stream is ours alone to read.
  const restarts = 'vercel-ai--spliced-message-start';
  it.each(streams.filter((id) => id !== restarts))(
    "give the same message as the client's own accumulator: %s",
    async (id) => {
      const file = manifest.find((recording) => recording.id === id)?.file ?? '';
      const lines = readFileSync(new URL(file, recordings), 'utf8').split(/\r?\n/);
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
      const peer = BetaMessageStream.fromReadableStream(
        new Blob([data.map((json) => JSON.stringify(JSON.parse(json))).join('\n')]).stream(),
      );
      // It hides parsed inputs behind getters, which JSON reads, and adds a field of its own.
      const { parsed_output: _added, ...expected } = JSON.parse(
        JSON.stringify(await peer.finalMessage()),
      ) as Record<string, unknown>;
      expect(await readMessage(`${url}/r/${id}`)).toEqual(expected);
    },
  );

  it('begin anew where a second message_start comes', async () => {
    expect((await readMessage(`${url}/r/${restarts}`)).id).toBe('msg_second');
  });

  it('never give a call of which only a part has come', async () => {
    const id = 'openllmetry--tools-streaming-legacy--1';
    const whole = await readMessage(`${url}/r/${id}`);
    const calls = whole.content.filter((block) => block.type === 'tool_use');
    for (let cut = 0.5; cut < 40; cut += 1) {
      const model = createAnthropicModel({
        model: 'claude-test',
        apiKey: 'key',
        baseURL: `${url}/r/${id};cut=${cut}`,
        maxRetries: 0,
      });
      const given: unknown[] = [];
      const signal = new AbortController().signal;
      let code: unknown = 'whole';
      try {
        for await (const item of collect(model.stream(request, { signal }))) {
          if (item.type !== 'tool-use') continue;
          const { index: _index, ...call } = item.toolUse;
          given.push({ type: 'tool_use', ...call });
        }
      } catch (error) {
        ({ code } = error as { code: unknown });
      }
      expect(given).toEqual(calls.slice(0, given.length));
      if (code === 'whole') break;
      expect(code).toBe('model-stream-cut');
    }
  });

  it('take the recorded JSON reply as the same message', async () => {
    const id = 'vercel-ai--web-fetch-tool-error';
    const file = readFileSync(new URL(`${id}.json`, recordings), 'utf8');
    expect(await readMessage(`${url}/r/${id}`)).toEqual(JSON.parse(file));
  });
});

describe.skipIf(!areThere)('the recorded refusal (in ../shared, where it is there)', () => {
  it('says what the server said', async () => {
    const id =
      'ruby_llm--chat-real-error-scenarios-anthropic-claude-haiku-4-5-handles-context-length-exceeded-error--1';
    const body: unknown = JSON.parse(readFileSync(new URL(`${id}.json`, recordings), 'utf8'));
    const server = await startMessagesServer();
    try {
      server.answer({ type: 'json', status: 400, body });
      await expect(readMessage(server.url)).rejects.toMatchObject({
        code: 'model-context-window',
        message: expect.stringContaining(
          'The server says: prompt is too long: 3333404 tokens > 200000 maximum',
        ) as string,
        data: expect.objectContaining({ status: 400, type: 'invalid_request_error' }) as object,
      });
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});
