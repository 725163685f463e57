// The protocol's client alone in a worker: connects and lists, and calls a tool, with nothing of ours around it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface BareRequest {
  readonly url: string;
  /** Left out: connect anew, and list. */
  readonly text?: string;
}

let client: Client | undefined;

self.onmessage = async ({ data: { url, text } }: MessageEvent<BareRequest>) => {
  if (text !== undefined) {
    self.postMessage(await client?.callTool({ name: 'echo', arguments: { text } }));
    return;
  }
  await client?.close();
  client = new Client(
    { name: 'bare', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      // It is told of changes, as ours is: that is a request of its own.
      listChanged: { tools: { autoRefresh: false, onChanged: () => undefined } },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  self.postMessage((await client.listTools()).tools);
};
