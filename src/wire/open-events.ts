// A client's connection if WebSockets aren't possible. Server messages arrive as server-sent
// events, and each client frame is a POST. It uses fetch, because EventSource could send its ticket
// only in the URL.
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
        // Sent one after the other, because requests may overtake each other.
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
            // Other reasons of a refusal arrive as events.
            if (answer.status === 410) stopping.abort();
          } catch {
            // The frame didn't arrive: unanswered requests are sent again over the next connection.
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
      // A broken connection is treated like a closed one.
    }
    onClose();
  })();
}

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads the events of our own server: one block per event, with one line of data. */
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
    // Has no effect on a stream that has ended or failed.
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
