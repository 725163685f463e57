// The options of createAnthropicModel and their check. A key with a line break or a broken base URL
// is reported before any request.
import { checkOptionNames } from '../core/check-option-names.ts';
import { SdkError } from '../core/errors.ts';
import type { Clock } from '../core/tool/ports.ts';
import { systemClock } from '../core/async/system-clock.ts';
import { effortLevels, isEffortLevel } from '../core/messages/effort.ts';
import type { EffortLevel } from '../core/messages/effort.ts';
import type { ThinkingOption } from '../core/messages/thinking.ts';
import type { ServerContext } from './anthropic-errors.ts';
import { createRefusedContent } from './refused-content.ts';
import type { RefusedContent } from './refused-content.ts';

/** The model, its server, and the credentials for it. */
export interface AnthropicModelOptions {
  /** The model's id at the server. */
  readonly model: string;
  /**
   * Sent as `x-api-key`. In a page, every script can read the key: prefer a proxy that has the key,
   * set by `baseURL`. Without this option no other place is searched for a key.
   */
  readonly apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`, instead of `apiKey`. */
  readonly authToken?: string | undefined;
  /**
   * The server or proxy; `/v1/messages` is added. In a page it may be a path of the page's origin.
   * @defaultValue `https://api.anthropic.com`
   */
  readonly baseURL?: string | undefined;
  /** Sent with each request. They replace our headers with the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The largest `max_tokens` of a reply. @defaultValue 16384: a long file in one reply, and allowed
   * by every current model
   */
  readonly maxTokens?: number;
  /** @defaultValue the server's */
  readonly thinking?: ThinkingOption;
  /**
   * How thoroughly the model works in texts, thinking and calls. A higher effort uses more tokens.
   * Not every model supports it.
   * @defaultValue the server's
   */
  readonly effort?: EffortLevel | undefined;
  /**
   * True if model and server support `defer_loading` and `tool_reference`. Set it if a proxy
   * forwards requests to Anthropic's API unchanged.
   * @defaultValue true for Claude Sonnet, Opus and later families since 4 at Anthropic's own API
   */
  readonly toolReferences?: boolean;
  /**
   * True if model and server support the tool `web_search_20250305`, which WebSearch uses. Set it
   * if a proxy forwards it.
   * @defaultValue true at Anthropic's own API
   */
  readonly webSearch?: boolean;
  /**
   * The context window in tokens. @defaultValue the value of the server's `/v1/models/<id>`,
   * requested once when a conversation becomes long; a million if `headers` enable that beta
   */
  readonly contextWindow?: number;
  /** The number of retries before the answer has begun. @defaultValue 3 */
  readonly maxRetries?: number;
  /** @defaultValue the realm's `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * The longest silence of the server in milliseconds: before its answer, and between two pieces of
   * the answer.
   * @defaultValue 300000, because a slow server may think for minutes before its first word
   */
  readonly silenceLimitMs?: number;
  /** @internal The clock of tests. */
  readonly clock?: Clock;
  /** @internal The random numbers of tests. */
  readonly random?: () => number;
}

/** Checked options, with the facts about the server for errors. */
export interface AnthropicSettings {
  readonly server: ServerContext;
  readonly baseURL: string;
  readonly isAnthropic: boolean;
  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxTokens: number;
  readonly thinking: ThinkingOption | undefined;
  /** Content that the server has refused. Empty at first. */
  readonly refused: RefusedContent;
  readonly effort: EffortLevel | undefined;
  readonly toolReferences: boolean;
  readonly webSearch: boolean;
  readonly contextWindow: number | undefined;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly silenceLimitMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

const knownOptions = {
  model: true,
  apiKey: true,
  authToken: true,
  baseURL: true,
  headers: true,
  maxTokens: true,
  thinking: true,
  effort: true,
  toolReferences: true,
  webSearch: true,
  contextWindow: true,
  maxRetries: true,
  fetch: true,
  silenceLimitMs: true,
  clock: true,
  random: true,
} satisfies Record<keyof AnthropicModelOptions, true>;

const usualMaxTokens = 16_384;

const anthropicURL = 'https://api.anthropic.com';

/**
 * Checks the options. Throws `bad-usage` with the name of the option. Security: the error never
 * contains the value of a key or header.
 */
export function checkAnthropicOptions(options: AnthropicModelOptions): AnthropicSettings {
  checkOptionNames('createAnthropicModel', options, knownOptions);
  const { model, headers = {} } = options;
  if (typeof model !== 'string' || model.trim() === '') {
    throw refuse('model', "needs the model's id, such as claude-sonnet-5-5");
  }
  const apiKey = checkCredential('apiKey', options.apiKey);
  const authToken = checkCredential('authToken', options.authToken);
  if (apiKey !== undefined && authToken !== undefined) {
    throw refuse('authToken', 'takes the place of apiKey: give one of the two');
  }
  checkHeaders(headers);
  const url = checkBaseURL(options.baseURL ?? anthropicURL);
  const isAnthropic = url.origin === anthropicURL;
  const named = Object.keys(headers).map((name) => name.toLowerCase());
  return {
    server: {
      host: url.host,
      model,
      hasCredential:
        (apiKey ?? authToken) !== undefined ||
        named.includes('x-api-key') ||
        named.includes('authorization'),
      secrets: listSecrets([apiKey, authToken], Object.values(headers)),
    },
    baseURL: url.href.replace(/\/+$/, ''),
    isAnthropic,
    apiKey,
    authToken,
    headers,
    maxTokens: checkCount('maxTokens', options.maxTokens ?? usualMaxTokens, 1),
    thinking: checkThinking(options),
    refused: createRefusedContent(),
    effort: checkEffort(options.effort),
    toolReferences: options.toolReferences ?? (isAnthropic && takesToolReferences(model)),
    webSearch: options.webSearch ?? isAnthropic,
    contextWindow:
      options.contextWindow === undefined
        ? findWindow(headers)
        : checkCount('contextWindow', options.contextWindow, 1),
    maxRetries: checkCount('maxRetries', options.maxRetries ?? 3, 0),
    fetch: options.fetch,
    silenceLimitMs: checkCount('silenceLimitMs', options.silenceLimitMs ?? 300_000, 1),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/**
 * True for Claude Sonnet 4+, Opus 4+ and newer models, by the API's documentation. A wrong true
 * causes a refused request, a wrong false only costs tokens. So unknown names and Haiku give false.
 */
function takesToolReferences(model: string): boolean {
  return /^claude-(sonnet|opus|fable|mythos)-([4-9]|\d{2})(-|$)/u.test(model);
}

/**
 * The window of the beta `context-1m`. Otherwise it is unknown, because the name doesn't show it.
 */
function findWindow(headers: Readonly<Record<string, string>>): number | undefined {
  return asksForBeta(headers, 'context-1m') ? 1_000_000 : undefined;
}

function asksForBeta(headers: Readonly<Record<string, string>>, beta: string): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'anthropic-beta' && value.includes(beta),
  );
}

/** A pasted key often has blanks around it. A key with blanks inside can't be sent as a header. */
function checkCredential(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const credential = typeof value === 'string' ? value.trim() : '';
  // An empty key would be sent as an empty header, which servers report as a wrong key.
  if (credential === '') throw refuse(name, 'is empty: leave it out when a proxy holds the key');
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw refuse(name, 'contains a blank, a line break or a letter that no key has: copy it again');
  }
  return credential;
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw refuse('headers', `has a bad name, ${name}`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw refuse('headers', `has a value for ${name} that can't be sent as a header`);
    }
  }
}

function checkBaseURL(baseURL: string): URL {
  let url: URL;
  try {
    url = new URL(baseURL, globalThis.location?.href);
  } catch {
    throw refuse('baseURL', 'is no URL: write it like https://host or https://host/path');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse('baseURL', `must begin with https: or http:, not ${url.protocol}`);
  }
  // Security: fetch refuses such URLs, and its error would contain the password.
  if (url.username || url.password) throw refuse('baseURL', 'must not carry a name or password');
  if (url.search || url.hash) throw refuse('baseURL', 'must end with its path, without ? and #');
  // The URL may end with the version or not. Both mean the same server.
  url.pathname = url.pathname.replace(/\/v1(\/messages)?\/*$/, '');
  return url;
}

function checkEffort(effort: EffortLevel | undefined): EffortLevel | undefined {
  if (effort === undefined || isEffortLevel(effort)) return effort;
  throw refuse('effort', `is one of ${effortLevels.join(', ')}`);
}

/** Refuses a budget that the API would refuse with each request. */
function checkThinking({
  thinking,
  maxTokens = usualMaxTokens,
  headers = {},
}: AnthropicModelOptions): ThinkingOption | undefined {
  if (thinking?.type !== 'enabled') return thinking;
  const budget = checkCount('thinking.budget_tokens', thinking.budget_tokens, 1);
  // With this beta a reply thinks several times, and the budget covers all of its thinking.
  const isInterleaved = asksForBeta(headers, 'interleaved-thinking');
  if (budget < maxTokens || isInterleaved) return thinking;
  throw refuse(
    'thinking.budget_tokens',
    `must be less than maxTokens (${maxTokens}), since thinking is part of the reply`,
  );
}

function checkCount(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw refuse(name, `must be a whole number from ${least}`);
}

/**
 * The secrets that errors must not contain. Short values (`1`, `true`, `test`) aren't secrets,
 * because they are also parts of words.
 */
function listSecrets(
  keys: readonly (string | undefined)[],
  headerValues: readonly string[],
): string[] {
  const parts = headerValues.flatMap((value) => [value, ...value.split(/[\s,]+/)]);
  return [...keys, ...parts]
    .filter((value): value is string => value !== undefined && value.length >= 8)
    .sort((a, b) => b.length - a.length);
}

function refuse(option: string, reason: string): SdkError {
  return new SdkError('bad-usage', `createAnthropicModel: ${option} ${reason}.`, {
    data: { option },
  });
}
