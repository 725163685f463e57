// A small web on the loopback, and calls of the tools that read it: the whole agent with a scripted model. Node only.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import type { SDKMessage, SDKResultMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { asks, listModel, says } from './play-turns.ts';

export interface WebAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Nothing more comes after the body. */
  readonly isSilent?: boolean;
}

export interface WebServer {
  /** `127.0.0.1:1234`, as a rule has it. */
  readonly host: string;
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
}

/** It ends with the test. */
export async function startWebServer(
  pages: Readonly<Record<string, WebAnswer>>,
): Promise<WebServer> {
  const requests: WebServer['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const { status = 200, type, headers, body = '', isSilent } = pages[path] ?? { status: 404 };
    response.writeHead(status, { ...(type !== undefined && { 'content-type': type }), ...headers });
    if (isSilent) response.write(body);
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export interface CalledTools {
  /** The text that the model gets. */
  readonly texts: readonly string[];
  readonly outputs: readonly unknown[];
  readonly messages: readonly SDKMessage[];
  readonly result: SDKResultMessage | undefined;
  readonly clock: VirtualClock;
}

export interface CallToolsOptions extends Omit<Partial<QueryOptions>, 'host'> {
  /** Called before each request of the model but the first. */
  readonly between?: (clock: VirtualClock) => void;
}

/** One call a message. */
export async function callTools(
  name: string,
  inputs: readonly Readonly<Record<string, unknown>>[],
  { between = () => {}, ...options }: CallToolsOptions,
): Promise<CalledTools> {
  const clock = createVirtualClock();
  const host = await createInlineHost({ clock });
  onTestFinished(() => host[Symbol.asyncDispose]());
  const calls = inputs.map((input, at) => ({ type: 'tool_use', id: `call-${at}`, name, input }));
  const inner = listModel('claude-test', [...calls.map((call) => asks(call)), says('Done.')]);
  const model = {
    ...inner,
    stream(...asked: Parameters<typeof inner.stream>) {
      if (inner.requests.length > 0) between(clock);
      return inner.stream(...asked);
    },
  };
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: 'Go.', options: { model, ...options, host } })) {
    messages.push(message);
  }
  const users = messages.filter((message) => message.type === 'user');
  return {
    texts: users.flatMap(({ message: { content } }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((block) =>
            block.type === 'tool_result' ? [toResultText(block as never)] : [],
          ),
    ),
    outputs: users.map((message) => message.tool_use_result),
    messages,
    result: messages.find((message) => message.type === 'result'),
    clock,
  };
}
