// Requests to GitHub's REST API for one poll or proposal: credentials, limits of answers, and
// errors that say what to do. Used by github-forge.ts. Credentials are only kept for that time.
import { readBytes } from '../../../core/bytes/read-bytes.ts';
import { createAbortError, throwIfAborted } from '../../../core/async/abort.ts';
import { encodeBase64 } from '../../../core/bytes/base64.ts';
import { SdkError } from '../../../core/errors.ts';
import type { FetchPort } from '../../../core/host-ports/fetch-port.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { GitCredentialSource } from '../remote/network.ts';
import { isPrivateWay } from '../remote/remote-url.ts';

/** A parsed answer. */
export interface GitHubAnswer {
  /** Undefined if nothing has changed since that etag. */
  readonly data: unknown;
  readonly etag: string | undefined;
  /** For a paged list: the number of the next page, and of the last one. */
  readonly next: number | undefined;
  readonly last: number | undefined;
}

export interface GitHubRequestsOptions {
  readonly fetch: FetchPort;
  readonly credentials: GitCredentialSource | undefined;
  /** Without a trailing slash. */
  readonly api: string;
  readonly signal: AbortSignal;
}

// 8 MB: a page of a hundred comments of 65 536 characters.
const maxAnswerBytes = 8_388_608;

export class GitHubRequests {
  readonly #options: GitHubRequestsOptions;
  readonly #api: URL;
  #authorization: string | undefined;
  #hasAsked = false;
  /** The poll interval that GitHub has requested so far. */
  waitMs = 60_000;

  constructor(options: GitHubRequestsOptions) {
    this.#options = options;
    this.#api = new URL(options.api);
  }

  /** @throws SdkError as described at `Forge` */
  async get(path: string, etag?: string): Promise<GitHubAnswer> {
    return this.#send(path, etag === undefined ? [] : [['if-none-match', etag]]);
  }

  async post(path: string, value: unknown): Promise<GitHubAnswer> {
    return this.#send(path, [], new TextEncoder().encode(JSON.stringify(value)));
  }

  async #send(
    path: string,
    headers: readonly (readonly [string, string])[],
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<GitHubAnswer> {
    if (!this.#hasAsked) await this.#authorize();
    for (;;) {
      const response = await this.#sendOnce(path, headers, body);
      this.#notePace(response);
      if (response.status === 401) {
        await response.body?.cancel();
        await this.#authorize();
        continue;
      }
      if (response.status === 304) return { ...this.#listPages(response), data: undefined };
      if (response.ok) return { ...this.#listPages(response), data: await this.#read(response) };
      throw await this.#whyNot(response, path);
    }
  }

  async #sendOnce(
    path: string,
    headers: readonly (readonly [string, string])[],
    body: Uint8Array<ArrayBuffer> | undefined,
  ): Promise<Response> {
    const { fetch, signal } = this.#options;
    throwIfAborted(signal);
    const all: (readonly [string, string])[] = [
      ['accept', 'application/vnd.github+json'],
      ['x-github-api-version', '2022-11-28'],
      ...headers,
    ];
    // A browser sets its own user agent and doesn't allow another one.
    if (fetch.redirect === 'manual') all.push(['user-agent', 'rockpool']);
    if (this.#authorization !== undefined) all.push(['authorization', this.#authorization]);
    if (body) all.push(['content-type', 'application/json']);
    try {
      return await fetch.send(`${this.#options.api}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: all,
        signal,
        ...(body && { body }),
      });
    } catch (error) {
      if (signal.aborted) throw createAbortError(signal.reason);
      if (SdkError.isInstance(error)) throw error;
      throw this.#failed("can't be reached. Try again later.");
    }
  }

  /**
   * Asks the host for credentials, at first and after a refusal. @throws SdkError
   * `permission-denied`
   */
  async #authorize(): Promise<void> {
    const isRefused = this.#hasAsked;
    this.#hasAsked = true;
    const { credentials, signal } = this.#options;
    // Credentials are requested under the name by which people know the forge.
    const host = this.#api.host === 'api.github.com' ? 'github.com' : this.#api.host;
    const given = isPrivateWay(this.#api)
      ? await credentials?.credentials(host, { signal })
      : undefined;
    throwIfAborted(signal);
    const header = given && toHeader(given);
    if (isRefused && (header === undefined || header === this.#authorization)) {
      throw new SdkError(
        'permission-denied',
        header === undefined
          ? `${host} wants to know who asks, and there are no credentials for it.`
          : `${host} refuses the credentials: they are wrong or have run out. Renew them.`,
        { data: { host } },
      );
    }
    this.#authorization = header;
  }

  #notePace({ headers }: Response): void {
    const seconds = Number(headers.get('x-poll-interval') ?? '0');
    if (seconds > 0) this.waitMs = Math.max(this.waitMs, Math.min(seconds, 86_400) * 1000);
  }

  #listPages({ headers }: Response): Omit<GitHubAnswer, 'data'> {
    const link = headers.get('link') ?? '';
    const page = (relation: string) => {
      const [, number] =
        new RegExp(`<[^>]*[?&]page=(\\d+)[^>]*>;\\s*rel="${relation}"`, 'u').exec(link) ?? [];
      return number === undefined ? undefined : Number(number);
    };
    return { etag: headers.get('etag') ?? undefined, next: page('next'), last: page('last') };
  }

  async #read(response: Response): Promise<unknown> {
    const { signal } = this.#options;
    const bytes = await readBytes(response.body, maxAnswerBytes).catch(() => {
      if (signal.aborted) throw createAbortError(signal.reason);
      throw this.#failed('broke the connection. Try again later.');
    });
    if (!bytes) throw this.#failed(`answers with more than ${maxAnswerBytes} bytes.`);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw this.#failed('answered with something that is no JSON: perhaps a page to sign in at.');
    }
  }

  async #whyNot(response: Response, path: string): Promise<SdkError> {
    const { status, headers } = response;
    const { host } = this.#api;
    const retryAfterMs = readRetryAfter(response);
    if (retryAfterMs !== undefined) {
      await response.body?.cancel();
      return new SdkError(
        'limit-exceeded',
        `${host} had too many requests (${status}). It may be asked again in ${Math.ceil(retryAfterMs / 1000)} s.`,
        { data: { host, retryAfterMs } },
      );
    }
    if (status === 403) {
      await response.body?.cancel();
      return new SdkError(
        'permission-denied',
        `${host} refuses access (403): whoever asks has no right to this.`,
        { data: { host, status } },
      );
    }
    if (status === 404 || status === 410) {
      await response.body?.cancel();
      return new SdkError(
        'ENOENT',
        `${host} has nothing at ${path} (${status}), or hides it from those who may not see it: check the name and the credentials.`,
        { data: { host, status } },
      );
    }
    if (status === 422) {
      const said = readErrors(await this.#read(response));
      return new SdkError('invalid-input', `${host} refuses it: ${said}`, {
        data: { host, status },
      });
    }
    await response.body?.cancel();
    if (status >= 300 && status < 400 && headers.has('location')) {
      return this.#failed(
        "answered by a redirect, which is not followed. Use the repository's new name.",
      );
    }
    return this.#failed(`failed (${status}). Try again later.`);
  }

  #failed(what: string): SdkError {
    const { host } = this.#api;
    return new SdkError('tool-failed', `${host} ${what}`, { data: { host } });
  }
}

function toHeader(given: NonNullable<Awaited<ReturnType<GitCredentialSource['credentials']>>>) {
  const secret = 'token' in given ? given.token : `${given.username}:${given.password}`;
  if (/[\r\n]/u.test(secret)) {
    throw new SdkError('permission-denied', "The credentials hold a character that can't be sent.");
  }
  if ('token' in given) return `Bearer ${secret}`;
  return `Basic ${encodeBase64(new TextEncoder().encode(secret))}`;
}

/** Returns when a rate limit ends. Undefined if the refusal has another reason. */
function readRetryAfter({ status, headers }: Response): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = headers.get('retry-after');
  if (after !== null && /^\d+$/u.test(after)) return Math.min(Number(after), 86_400) * 1000;
  // By the server's clock, so that the local clock needn't be right.
  const now = Date.parse(headers.get('date') ?? '');
  const at = after === null ? Number(headers.get('x-ratelimit-reset')) * 1000 : Date.parse(after);
  const isSpent = after !== null || headers.get('x-ratelimit-remaining') === '0';
  if (isSpent && now > 0 && at > 0) return Math.min(Math.max(at - now, 1000), 86_400_000);
  return status === 429 || isSpent ? 60_000 : undefined;
}

/** Returns the messages of GitHub's answer in one line. */
function readErrors(data: unknown): string {
  const { message, errors } = isRecord(data) ? data : {};
  const list = Array.isArray(errors) ? errors : [];
  const said = [message, ...list.map((one) => (isRecord(one) ? one['message'] : undefined))];
  const text = said.filter((one) => typeof one === 'string').join('; ');
  // eslint-disable-next-line no-control-regex -- those are what is taken out
  return text.replaceAll(/[\u0000-\u001f\u007f]+/gu, ' ').slice(0, 500) || 'no reason given.';
}
