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
  /** The model's id as the server knows it. */
  readonly model: string;
  /**
   * Sent as `x-api-key`. In a page anybody who can run a script there can read it: prefer a proxy
   * that holds the key, named by `baseURL`. Without a key none is looked for elsewhere.
   */
  readonly apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`, in place of `apiKey`. */
  readonly authToken?: string | undefined;
  /**
   * The server or proxy; `/v1/messages` is added. In a page it may be a path of the page's origin.
   * @defaultValue `https://api.anthropic.com`
   */
  readonly baseURL?: string | undefined;
  /** Sent with each request. They replace our headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @defaultValue 16384: a long file in one piece, and within what every current model allows. */
  readonly maxTokens?: number;
  /** @defaultValue the server's */
  readonly thinking?: ThinkingOption;
  /**
   * How thoroughly the model works, in texts, thinking and calls: more takes more tokens. Not every
   * model takes it.
   * @defaultValue the server's
   */
  readonly effort?: EffortLevel | undefined;
  /**
   * True if model and server take `defer_loading` and `tool_reference`. Set it if a proxy passes
   * requests on to Anthropic's API as they are.
   * @defaultValue true for Claude Sonnet, Opus and later families since 4 at Anthropic's own API
   */
  readonly toolReferences?: boolean;
  /**
   * True if model and server take the tool `web_search_20250305`, by which WebSearch searches. Set
   * it if a proxy passes it on.
   * @defaultValue true at Anthropic's own API
   */
  readonly webSearch?: boolean;
  /**
   * In tokens. @defaultValue what the server's `/v1/models/<id>` says, asked once when a conversation becomes
   * long; a million where `headers` ask for that beta
   */
  readonly contextWindow?: number;
  /** The number of further tries before the answer has begun. @defaultValue 3 */
  readonly maxRetries?: number;
  /** @defaultValue the realm's `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How long the server may be silent: until it answers, and between two pieces of the answer.
   * @defaultValue 300000, since a slow server may think for minutes before its first word
   */
  readonly silenceLimitMs?: number;
  /** @internal Time for tests. */
  readonly clock?: Clock;
  /** @internal Chance for tests. */
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
  /** Content that the server is known to refuse. It begins empty. */
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
 * Checks the options. Throws `bad-usage` that names the option. Security: never with the value of a
 * key or header.
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
 * "Claude Sonnet 4+, Opus 4+, and newer models", in the API's own words. A wrong yes would be a
 * refused request, a wrong no only costs some tokens: so unknown names and Haiku are a no.
 */
function takesToolReferences(model: string): boolean {
  return /^claude-(sonnet|opus|fable|mythos)-([4-9]|\d{2})(-|$)/u.test(model);
}

/**
 * The window of the beta `context-1m`. Without it the window is unknown: a name doesn't tell it.
 */
function findWindow(headers: Readonly<Record<string, string>>): number | undefined {
  return asksForBeta(headers, 'context-1m') ? 1_000_000 : undefined;
}

function asksForBeta(headers: Readonly<Record<string, string>>, beta: string): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'anthropic-beta' && value.includes(beta),
  );
}

/** A pasted key often has blanks around it. With blanks within, it can't be sent as a header. */
function checkCredential(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const credential = typeof value === 'string' ? value.trim() : '';
  // An empty key would be sent as an empty header, which servers call a wrong key.
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
  // Security: fetch refuses such URLs, and its error would repeat the password.
  if (url.username || url.password) throw refuse('baseURL', 'must not carry a name or password');
  if (url.search || url.hash) throw refuse('baseURL', 'must end with its path, without ? and #');
  // The URL may have the version or not. The same server is meant.
  url.pathname = url.pathname.replace(/\/v1(\/messages)?\/*$/, '');
  return url;
}

function checkEffort(effort: EffortLevel | undefined): EffortLevel | undefined {
  if (effort === undefined || isEffortLevel(effort)) return effort;
  throw refuse('effort', `is one of ${effortLevels.join(', ')}`);
}

/** A budget that the API refuses with each request is refused here. */
function checkThinking({
  thinking,
  maxTokens = usualMaxTokens,
  headers = {},
}: AnthropicModelOptions): ThinkingOption | undefined {
  if (thinking?.type !== 'enabled') return thinking;
  const budget = checkCount('thinking.budget_tokens', thinking.budget_tokens, 1);
  // With this beta a reply thinks several times, and the budget is that of all its thinking.
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
 * The secrets that errors must not repeat. Short values (`1`, `true`, `test`) are no secrets but
 * parts of words.
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
