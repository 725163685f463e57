// Reads a server's successful reply as model events, streamed or whole. anthropic-stream.ts calls
// it with the response. A reply that violates the Messages API is an error.
import { messageOf } from '../core/errors.ts';
import type { AssistantMessage, ModelEvent } from '../core/messages/messages.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { Clock } from '../core/tool/ports.ts';
import { toCutError, toProtocolError, toRefusedError } from './anthropic-errors.ts';
import type { ServerContext } from './anthropic-errors.ts';
import { createSseDecoder } from './sse.ts';
import type { ServerSentEvent } from './sse.ts';
import { toEvents } from './to-events.ts';
import { settleWithin } from './wait.ts';

export interface ReplyOptions {
  readonly server: ServerContext;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly silenceLimitMs: number;
}

/**
 * The events of one answer, up to `message_stop`; later data isn't read.
 *
 * Events, blocks and deltas of unknown types pass unchanged. Throws `model-stream-cut` if the
 * answer ends early or is silent too long, and `model-protocol` if it isn't a message. An error
 * event throws its own code. Throws `aborted`, too.
 */
export async function* readReply(
  response: Response,
  options: ReplyOptions,
): AsyncGenerator<ModelEvent, void> {
  const type = response.headers.get('content-type') ?? '';
  if (/\bjson\b/i.test(type)) {
    yield* toEvents(await readMessage(response, options));
    return;
  }
  if (/^text\/html/i.test(type)) throw toProtocolError(options.server, 'it sent a web page');
  const decoder = createSseDecoder();
  for await (const chunk of readChunks(response, options)) {
    for (const sent of decoder.push(chunk)) {
      const event = parseEvent(sent, options.server);
      yield event;
      if (event.type === 'message_stop') return;
    }
  }
  throw toCutError(options.server, 'the connection was closed');
}

async function* readChunks(
  response: Response,
  options: ReplyOptions,
): AsyncGenerator<Uint8Array, void> {
  if (!response.body) throw toProtocolError(options.server, 'the answer is empty');
  const reader = response.body.getReader();
  try {
    while (true) {
      const { value } = await whileServerSpeaks(reader.read(), options);
      if (!value) return;
      yield value;
    }
  } finally {
    // Also cancelled if the consumer ends early, so that the server stops. A broken stream can't be
    // cancelled, so that error is ignored.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Reads a message that was sent whole. Servers and proxies without streaming send one even if a
 * stream was requested.
 */
async function readMessage(response: Response, options: ReplyOptions): Promise<AssistantMessage> {
  const text = await whileServerSpeaks(response.text(), options);
  const body = parseJson(text, options.server);
  if (body['type'] === 'error') throw toRefusedError({ status: null, body }, options.server);
  if (body['type'] !== 'message' || !Array.isArray(body['content'])) {
    throw toProtocolError(options.server, 'its JSON is no message');
  }
  return body as unknown as AssistantMessage;
}

async function whileServerSpeaks<T>(reading: Promise<T>, options: ReplyOptions): Promise<T> {
  const { server, signal, clock, silenceLimitMs } = options;
  const seconds = Math.round(silenceLimitMs / 1000);
  const tooLate = () => toCutError(server, `nothing came for ${seconds} s`);
  const cut = (error: unknown) => {
    throw toCutError(server, messageOf(error));
  };
  return settleWithin(reading.catch(cut), { signal, clock, limitMs: silenceLimitMs, tooLate });
}

function parseEvent(sent: ServerSentEvent, server: ServerContext): ModelEvent {
  const body = parseJson(sent.data, server);
  if (body['type'] === 'error' || sent.event === 'error') {
    throw toRefusedError({ status: null, body }, server);
  }
  if (typeof body['type'] !== 'string') throw toProtocolError(server, 'an event has no type');
  return body as unknown as ModelEvent;
}

function parseJson(text: string, server: ServerContext): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw toProtocolError(
      server,
      `it sent ${JSON.stringify(text.slice(0, 80))} where JSON was due`,
    );
  }
  if (isRecord(value)) return value;
  throw toProtocolError(server, `it sent ${text.slice(0, 80)} where an object was due`);
}
