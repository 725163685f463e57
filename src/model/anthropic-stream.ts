// Sends one request to a server that speaks the Messages API. Anthropic's client only sends it.
// Retries, decoding and errors are ours, so that all realms and compatible servers behave alike.
// anthropic.ts loads this with the first request.
import { APIError, BaseAnthropic } from './anthropic-sdk.ts';
import { createAbortError, createChildController, throwIfAborted } from '../core/async/abort.ts';
import type { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { ModelEvent } from '../core/messages/messages.ts';
import type { ThinkingOption } from '../core/messages/thinking.ts';
import { parseJson } from '../core/text/parse-json.ts';
import { toNetworkError, toProtocolError, toRefusedError } from './anthropic-errors.ts';
import type { ServerContext } from './anthropic-errors.ts';
import type { AnthropicSettings } from './anthropic-options.ts';
import type { ModelRequest, StreamOptions } from './model.ts';
import { readReply } from './read-reply.ts';
import { leaveOutRefused, noteRefused } from './refused-content.ts';
import { toRequestJson } from './request-json.ts';
import { retryUntilBegun } from './retry.ts';
import { settleWithin } from './wait.ts';
import { writeBreakpoints } from './write-breakpoints.ts';

/** Sends a request by the contract of `Model.stream`. */
export function streamWithRetries(
  settings: AnthropicSettings,
  request: ModelRequest,
  { signal, onRetry }: StreamOptions,
): AsyncGenerator<ModelEvent, void> {
  const { clock, random, maxRetries } = settings;
  return retryUntilBegun(() => streamOnce(settings, request, signal), {
    signal,
    onRetry,
    clock,
    random,
    maxRetries,
  });
}

/**
 * The server's count of the request's tokens, without retries. The caller may try again.
 *
 * Rejects with the `model-*` codes of a stream. An answer without a count gives `model-protocol`.
 */
export async function countInputTokens(
  settings: AnthropicSettings,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number> {
  throwIfAborted(signal);
  const { server, clock, silenceLimitMs } = settings;
  const controller = createChildController(signal);
  try {
    const asked = post(settings, '/v1/messages/count_tokens', {
      body: toInput(settings, request),
      signal: controller.signal,
    }).then((response) => readCount(response, server, controller.signal));
    return await settleWithin(asked, {
      signal,
      clock,
      limitMs: silenceLimitMs,
      tooLate: () => toSilenceError(settings),
    });
  } finally {
    controller.abort();
    controller[Symbol.dispose]();
  }
}

// 10 s: a turn waits this long for the window, and then continues without it.
const windowLimitMs = 10_000;

/**
 * The model's maximum input tokens, from the server. Undefined if the server doesn't say. Without
 * retries.
 *
 * Rejects like {@link countInputTokens}.
 */
export async function findContextWindow(settings: AnthropicSettings): Promise<number | undefined> {
  const { server, clock } = settings;
  const controller = new AbortController();
  const { signal } = controller;
  try {
    const path = `/v1/models/${encodeURIComponent(server.model)}`;
    const asked = createClient(settings)
      .get(path, { signal })
      .asResponse()
      .then((response): Promise<unknown> => response.json());
    const limits = { signal, clock, limitMs: windowLimitMs };
    const tooLate = () => toSilenceError(settings);
    const model = await settleWithin(asked, { ...limits, tooLate });
    const tokens = isRecord(model) ? model['max_input_tokens'] : undefined;
    return Number.isSafeInteger(tokens) && Number(tokens) > 0 ? Number(tokens) : undefined;
  } finally {
    controller.abort();
  }
}

async function readCount(
  response: Response,
  server: ServerContext,
  signal: AbortSignal,
): Promise<number> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    if (signal.aborted) throw createAbortError(signal.reason);
    throw toNetworkError(error, server);
  }
  const count = findCount(text);
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Number(count);
  throw toProtocolError(server, 'the count of tokens is missing');
}

function findCount(text: string): unknown {
  const answer = parseJson(text);
  return isRecord(answer) ? answer['input_tokens'] : undefined;
}

function toSilenceError({ server, silenceLimitMs }: AnthropicSettings): SdkError {
  return toNetworkError(`no answer for ${Math.round(silenceLimitMs / 1000)} s`, server);
}

/** One attempt. The HTTP request ends with the iteration. */
async function* streamOnce(
  settings: AnthropicSettings,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  throwIfAborted(signal);
  const { server, clock, silenceLimitMs, refused } = settings;
  const controller = createChildController(signal);
  const sendOnce = () =>
    settleWithin(send(settings, request, controller.signal), {
      signal,
      clock,
      limitMs: silenceLimitMs,
      tooLate: () => toSilenceError(settings),
    });
  try {
    let response: Response | undefined;
    while (!response) {
      try {
        response = await sendOnce();
      } catch (error) {
        // Sent again without a wait, because it is another request, and the refused one has cost
        // nothing.
        if (!noteRefused(error, request.messages, refused)) throw error;
      }
    }
    const limits = { server, signal: controller.signal, clock, silenceLimitMs };
    for await (const event of readReply(response, limits)) yield withModel(event, server.model);
  } finally {
    controller.abort();
    controller[Symbol.dispose]();
  }
}

/** Some compatible servers don't name the model. The requested model's name is then used. */
function withModel(event: ModelEvent, name: string): ModelEvent {
  if (event.type !== 'message_start' || !isRecord(event.message)) return event;
  const { model = name } = event.message as { readonly model?: string };
  return { ...event, message: { ...event.message, model } };
}

function send(
  settings: AnthropicSettings,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { model, thinking, ...input } = toInput(settings, request);
  const { max_tokens = settings.maxTokens, taskBudget } = request;
  // A short reply has no room for the thinking budget, and the API would refuse the request.
  const hasRoom = max_tokens >= settings.maxTokens || !isBudgetOver(thinking, max_tokens);
  const body = {
    model,
    max_tokens,
    stream: true,
    ...input,
    ...(thinking && hasRoom && { thinking }),
    ...(taskBudget && {
      output_config: { ...input.output_config, task_budget: { type: 'tokens', ...taskBudget } },
    }),
  };
  const headers = taskBudget && addBeta(settings, taskBudgetBeta);
  return post(settings, '/v1/messages', { body, signal, headers });
}

const taskBudgetBeta = 'task-budgets-2026-03-13';

/** The headers of a request, with this beta added to the host's. */
function addBeta({ headers }: AnthropicSettings, beta: string): Record<string, string> {
  const asked = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'anthropic-beta' ? value.split(',').map((one) => one.trim()) : [],
  );
  return { 'anthropic-beta': [...new Set([...asked, beta])].join(',') };
}

/** The input part of a request, whose tokens are counted. */
function toInput(settings: AnthropicSettings, request: ModelRequest) {
  const { server, thinking, effort: own, refused } = settings;
  const { system, messages: written, tools: listed } = writeBreakpoints(request);
  const messages = leaveOutRefused(written, request.messages, refused);
  const tools = [...listed, ...(request.serverTools ?? [])];
  const effort = request.effort ?? own;
  return {
    model: server.model,
    messages,
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools }),
    ...(thinking && { thinking }),
    ...(effort && { output_config: { effort } }),
  };
}

function isBudgetOver(thinking: ThinkingOption | undefined, maxTokens: number): boolean {
  return thinking?.type === 'enabled' && thinking.budget_tokens >= maxTokens;
}

/** Only the client's base class: the resources, which aren't used here, are most of the package. */
function createClient(settings: AnthropicSettings): BaseAnthropic {
  return new BaseAnthropic({
    baseURL: settings.baseURL,
    // With an explicit credential, even one that isn't sent, the client doesn't search the
    // environment and the disk.
    ...(settings.authToken === undefined
      ? { apiKey: 'unused' }
      : { authToken: settings.authToken }),
    defaultHeaders: toHeaders(settings),
    ...(settings.fetch && { fetch: settings.fetch }),
    maxRetries: 0,
    // Our silence limit decides. The client's own timeout would count a slow first word as a
    // failure. A minute more, so that ours always comes first.
    timeout: settings.silenceLimitMs + 60_000,
    // Security: every script of a page can read its key. The option, the README and the demo say
    // so. The client's refusal would also forbid proxies that need no key.
    dangerouslyAllowBrowser: true,
    // Security: the client's log contains headers.
    logLevel: 'off',
    openTelemetry: false,
  });
}

async function post(
  settings: AnthropicSettings,
  path: string,
  {
    body: content,
    signal,
    headers: more,
  }: {
    readonly body: object;
    readonly signal: AbortSignal;
    readonly headers?: Readonly<Record<string, string>> | undefined;
  },
): Promise<Response> {
  const anthropic = createClient(settings);
  const body = toRequestJson(content);
  const headers = { 'content-type': 'application/json', ...more };
  try {
    // `post` and not `messages.create`, which decodes the stream and writes to the console.
    return await anthropic.post(path, { body, headers, signal }).asResponse();
  } catch (error) {
    if (signal.aborted) throw createAbortError(signal.reason);
    throw toModelError(error, settings.server);
  }
}

/** Headers besides the client's own. Null removes one of the client's. */
function toHeaders(settings: AnthropicSettings): Record<string, string | null> {
  return {
    // Every compatible server supports `x-api-key`. The client would send a bearer token.
    ...(settings.authToken === undefined && { authorization: null }),
    ...(settings.apiKey !== undefined && { 'x-api-key': settings.apiKey }),
    // Other servers list the headers that a page may send (CORS), and these aren't listed.
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

function toModelError(error: unknown, server: ServerContext): SdkError {
  if (error instanceof APIError && error.status !== undefined) {
    const { status, headers } = error;
    // Without a JSON body the client adds the text to the status, or says that there is none.
    const body: unknown =
      error.error ?? error.message.replace(/^\d+ (status code \(no body\)$)?/, '');
    return toRefusedError({ status, body, headers }, server);
  }
  return toNetworkError(error, server);
}
