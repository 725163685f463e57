// Sends one request to a server that speaks the Messages API. Anthropic's client only sends it.
// Retries, decoding and errors are ours, so that all realms and compatible servers behave alike.
// anthropic.ts loads this with the first request.
import type * as AnthropicPackage from '@anthropic-ai/sdk';
import { createAbortError, createChildController, throwIfAborted } from '../core/abort.ts';
import type { SdkError } from '../core/errors.ts';
import type { ModelEvent } from '../core/messages.ts';
import { toNetworkError, toRefusedError } from './anthropic-errors.ts';
import type { ServerContext } from './anthropic-errors.ts';
import type { AnthropicSettings } from './anthropic-options.ts';
import type { ModelRequest, StreamOptions } from './model.ts';
import { readReply } from './read-reply.ts';
import { toRequestJson } from './request-json.ts';
import { retryUntilBegun } from './retry.ts';
import { settleWithin } from './wait.ts';

type Client = typeof AnthropicPackage;

/** Keeps `Model.stream`'s contract. */
export function streamWithRetries(
  client: Client,
  settings: AnthropicSettings,
  request: ModelRequest,
  { signal, onRetry }: StreamOptions,
): AsyncGenerator<ModelEvent, void> {
  const { clock, random, maxRetries } = settings;
  return retryUntilBegun(() => streamOnce(client, settings, request, signal), {
    signal,
    onRetry,
    clock,
    random,
    maxRetries,
  });
}

/** One try: the HTTP request lives exactly as long as the iteration. */
async function* streamOnce(
  client: Client,
  settings: AnthropicSettings,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  throwIfAborted(signal);
  const { server, clock, silenceLimitMs } = settings;
  const controller = createChildController(signal);
  try {
    const response = await settleWithin(send(client, settings, request, controller.signal), {
      signal,
      clock,
      limitMs: silenceLimitMs,
      tooLate: () => toNetworkError(`no answer for ${Math.round(silenceLimitMs / 1000)} s`, server),
    });
    yield* readReply(response, { server, signal: controller.signal, clock, silenceLimitMs });
  } finally {
    controller.abort();
    controller[Symbol.dispose]();
  }
}

async function send(
  client: Client,
  settings: AnthropicSettings,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { model } = settings.server;
  const anthropic = new client.Anthropic({
    baseURL: settings.baseURL,
    // A credential of ours, even where it isn't sent, keeps the client from looking for others in
    // the environment and on disk.
    ...(settings.authToken === undefined
      ? { apiKey: 'unused' }
      : { authToken: settings.authToken }),
    defaultHeaders: toHeaders(settings),
    ...(settings.fetch && { fetch: settings.fetch }),
    maxRetries: 0,
    // The silence limit is the only one: the client's own would count a slow first word as lost.
    // A minute more, so that ours always comes first.
    timeout: settings.silenceLimitMs + 60_000,
    // Security: a key in a page is readable by all its scripts. The option, the README and the demo
    // say so; the client's refusal would also forbid proxies that need no key.
    dangerouslyAllowBrowser: true,
    // Security: the client's log has headers in it.
    logLevel: 'off',
    openTelemetry: false,
  });
  const body = toRequestJson({
    model,
    max_tokens: request.max_tokens ?? settings.maxTokens,
    stream: true,
    messages: request.messages,
    ...(request.system.length > 0 && { system: request.system }),
    ...(request.tools.length > 0 && { tools: request.tools }),
    ...(settings.thinking && { thinking: settings.thinking }),
  });
  const headers = { 'content-type': 'application/json' };
  try {
    // `post` rather than `messages.create`, which decodes the stream and writes to the console.
    return await anthropic.post('/v1/messages', { body, headers, signal }).asResponse();
  } catch (error) {
    if (signal.aborted) throw createAbortError(signal.reason);
    throw toModelError(error, client, settings.server);
  }
}

/** What the client is to send besides its own; null takes one of its own away. */
function toHeaders(settings: AnthropicSettings): Record<string, string | null> {
  return {
    // `x-api-key` is what every compatible server reads; the client would send a bearer token.
    ...(settings.authToken === undefined && { authorization: null }),
    ...(settings.apiKey !== undefined && { 'x-api-key': settings.apiKey }),
    // Other servers list the headers that a page may send, and these are on nobody's list.
    ...(!settings.isAnthropic && telemetryHeaders),
    ...Object.fromEntries(
      Object.entries(settings.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}

const telemetryHeaders = {
  'user-agent': null,
  'x-stainless-arch': null,
  'x-stainless-lang': null,
  'x-stainless-os': null,
  'x-stainless-package-version': null,
  'x-stainless-retry-count': null,
  'x-stainless-runtime': null,
  'x-stainless-runtime-version': null,
  'x-stainless-timeout': null,
} as const;

function toModelError(error: unknown, client: Client, server: ServerContext): SdkError {
  if (error instanceof client.APIError && error.status !== undefined) {
    const { status, headers } = error;
    // Without a JSON body the client puts its text behind the status, or says that there is none.
    const body: unknown =
      error.error ?? error.message.replace(/^\d+ (status code \(no body\)$)?/, '');
    return toRefusedError({ status, body, headers }, server);
  }
  return toNetworkError(error, server);
}
