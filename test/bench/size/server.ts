// Serves the application and a Messages API that calls one tool, and notes which files were asked for.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SizedFile } from '../../../scripts/size-app.ts';

/** Close it when done. */
export interface SizeServer {
  readonly url: string;
  /** The files that were asked for since this was last called, in order. */
  takeRequests(): string[];
  /** Resolves when nothing was asked for in the last second. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

const quietMs = 1000;

const mimeTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";

export async function serveSizeApp(files: ReadonlyMap<string, SizedFile>): Promise<SizeServer> {
  let requests: string[] = [];
  let askedAt = 0;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1) || 'index.html';
    askedAt = performance.now();
    response.setHeader('content-security-policy', policy);
    const file = files.get(path);
    if (path.startsWith('api/')) return void answer(request, response);
    if (!file) return void response.writeHead(404).end();
    requests.push(path);
    const isPage = path === 'index.html';
    response.setHeader('content-type', mimeTypes[extname(path)] ?? 'application/octet-stream');
    response.setHeader('cache-control', isPage ? 'no-cache' : 'max-age=31536000, immutable');
    response.setHeader('content-encoding', 'gzip').end(file.gzip);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async quiet() {
      for (;;) {
        const leftMs = askedAt + quietMs - performance.now();
        if (leftMs <= 0) return;
        await setTimeout(leftMs);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const calls: Readonly<Record<string, { readonly name: string; readonly input: object }>> = {
  read: { name: 'Read', input: { file_path: 'a.txt' } },
  cell: { name: 'Repl', input: { code: '6 * 7' } },
  node: {
    name: 'Repl',
    input: { code: "require('path').join('a', 'b') + Buffer.from('hi').length" },
  },
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  request.setEncoding('utf8');
  for await (const part of request) body += String(part);
  const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
  const asked = JSON.stringify(messages.map(({ content }) => content));
  const call = Object.entries(calls).find(([word]) => asked.includes(`"${word}"`))?.[1];
  const isAnswered = messages.some(({ role }) => role === 'assistant');
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of call && !isAnswered ? toCall(call.name, call.input) : toText()) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

function toCall(name: string, input: object): Event[] {
  const block = { type: 'tool_use', id: 'toolu_1', name, input: {} };
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  return toMessage(block, delta, 'tool_use');
}

function toText(): Event[] {
  return toMessage({ type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }, 'end_turn');
}

function toMessage(content_block: object, delta: object, stop_reason: string): Event[] {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = {
    id: 'msg_size',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}
