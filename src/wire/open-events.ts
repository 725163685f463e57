// A client's connection where no WebSocket gets through: what the server tells comes as server-sent events, and each
// frame of the client's is a POST. By fetch, as an EventSource could show its ticket in the URL alone.
import { decodeBase64 } from '../core/bytes/base64.ts';
import { SdkError } from '../core/errors.ts';
import type { LinkEvents, OpenLink } from './link.ts';
import type { WireFrame } from './pieces.ts';
import { wireProtocol } from './protocol.ts';
import { toRefusal } from './to-refusal.ts';

/** Header names and event names that both sides use. */
export const eventsType = 'text/event-stream';
export const protocolHeader = 'rockpool-wire';

export function createEventsLink(url: string): OpenLink {
  return async (ticket, events) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: eventsType,
        authorization: `Bearer ${ticket}`,
        [protocolHeader]: wireProtocol,
      },
      signal,
    });
    if (!response.ok || !response.body) throw await toRefusal(response);
    if (response.headers.get('content-type')?.startsWith(eventsType) !== true) {
      stopping.abort();
      throw isNoSession(url);
    }
    const reader = readEvents(response.body);
    const first = await reader.next();
    if (first.done || first.value.event !== 'link') throw lost();
    const secret = first.value.data;
    follow(reader, events);
    let sending: Promise<unknown> = Promise.resolve();
    return {
      send(frame: WireFrame) {
        // One after the other: two requests may overtake each other.
        sending = sending.then(async () => {
          if (signal.aborted) return;
          try {
            const answer = await fetch(url, {
              method: 'POST',
              headers: {
                authorization: `Bearer ${secret}`,
                'content-type':
                  typeof frame === 'string' ? 'application/json' : 'application/octet-stream',
              },
              body: frame,
              signal,
            });
            // What else it is refused for is told by the events.
            if (answer.status === 410) stopping.abort();
          } catch {
            // It didn't arrive: what has no answer is sent again over the next connection.
            stopping.abort();
          }
        });
      },
      [Symbol.dispose]() {
        stopping.abort();
      },
    };
  };
}

function follow(
  reader: AsyncGenerator<ServerEvent, void, undefined>,
  { onFrame, onClose }: LinkEvents,
): void {
  void (async () => {
    try {
      for await (const { event, data } of reader) {
        onFrame(event === 'piece' ? decodeBase64(data) : data);
      }
    } catch {
      // A connection that breaks is one that is closed.
    }
    onClose();
  })();
}

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads the events of our own server: a block each, with one line of data. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n');
        const find = (field: string) =>
          lines.find((line) => line.startsWith(field))?.slice(field.length);
        const data = find('data: ');
        if (data !== undefined) yield { event: find('event: ') ?? 'message', data };
      }
    }
  } finally {
    // Does nothing to a stream that has ended or failed.
    void reader.cancel().catch(() => undefined);
  }
}

function isNoSession(url: string): SdkError {
  return new SdkError(
    'invalid-input',
    `What answers at ${url} is no session: a page, maybe. Give the whole address of a session's wire, such as https://example.org/sessions/s1/wire.`,
    { data: { url } },
  );
}

function lost(): SdkError {
  return new SdkError('worker-lost', 'The connection ended before it had begun.');
}
