// Station 1: any server that speaks the Messages API, through Anthropic's client. The client is loaded
// with the first request and only sends it: retries, decoding and errors are ours, so that every
// realm and every compatible server behave alike. Hosts make one; the agent knows only the port.
import type * as AnthropicPackage from '@anthropic-ai/sdk';
import { createAbortError, createChildController, throwIfAborted } from '../core/abort.ts';
import { SdkError } from '../core/errors.ts';
import type { ModelEvent } from '../core/messages.ts';
import { toNetworkError, toRefusedError } from './anthropic-errors.ts';
import type { ServerContext } from './anthropic-errors.ts';
import { checkAnthropicOptions } from './anthropic-options.ts';
import type { AnthropicModelOptions, AnthropicSettings } from './anthropic-options.ts';
import type { Model, ModelRequest } from './model.ts';
import { readReply } from './read-reply.ts';
import { retryUntilBegun } from './retry.ts';
import { settleWithin } from './wait.ts';

type Client = typeof AnthropicPackage;

/**
 * A model behind the Messages API: Anthropic's, a proxy that holds the key, or a compatible server.
 *
 * Throws `bad-usage` for options that can't work; nothing is loaded or sent before the first
 * request. The environment's and the disk's credentials are never looked at. The stream keeps
 * {@link Model.stream}'s contract; keys and headers are in no event, error or log.
 *
 * @example
 * const model = createAnthropicModel({ model: 'claude-sonnet-5-5', baseURL: '/anthropic' });
 */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const settings = checkAnthropicOptions(options);
  const { clock, random, maxRetries } = settings;
  return {
    name: settings.server.model,
    apiKeySource: settings.server.hasCredential ? 'user' : 'none',
    toolReferences: settings.toolReferences,
    contextWindow: settings.contextWindow,
    stream: (request, { signal, onRetry }) =>
      retryUntilBegun(() => streamOnce(settings, request, signal), {
        signal,
        onRetry,
        clock,
        random,
        maxRetries,
      }),
  };
}

/** One try: the HTTP request lives exactly as long as the iteration. */
async function* streamOnce(
  settings: AnthropicSettings,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  throwIfAborted(signal);
  const { server, clock, silenceLimitMs } = settings;
  const controller = createChildController(signal);
  try {
    const client = await loadClient();
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

async function loadClient(): Promise<Client> {
  try {
    return await import('@anthropic-ai/sdk');
  } catch (error) {
    throw new SdkError(
      'model-network',
      "The Anthropic client couldn't be loaded. Check the network, and that the page's own files are all there.",
      { cause: error },
    );
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
  const body = {
    model,
    max_tokens: request.max_tokens ?? settings.maxTokens,
    stream: true,
    messages: request.messages,
    ...(request.system.length > 0 && { system: request.system }),
    ...(request.tools.length > 0 && { tools: request.tools }),
    ...(settings.thinking && { thinking: settings.thinking }),
  };
  try {
    // `post` rather than `messages.create`, which decodes the stream and writes to the console.
    return await anthropic.post('/v1/messages', { body, signal }).asResponse();
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
