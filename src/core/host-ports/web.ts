// Web pages for WebFetch: the host's port, the part of it that a call gets, and which addresses are accepted.
import type { HostAccess } from '../access/host-access.ts';
import { isThisMachine } from '../access/network-hosts.ts';
import { ToolError } from '../errors.ts';

/** How a host reads the web (`Host.web`): in a page, in an isolate, or on one thread. */
export interface WebPort {
  /**
   * Requests one page without credentials, and follows no redirect. HTML is converted to Markdown; other text is
   * unchanged.
   *
   * Rejects with an SdkError: `permission-denied` if `access` doesn't allow the host, `limit-exceeded` for a page
   * that is too large, `invalid-input` if the server doesn't answer, or `aborted`.
   */
  get(url: string, access: HostAccess | undefined, signal: AbortSignal): Promise<WebAnswer>;
  /**
   * Names of the host itself, as in URLs. Such a name is reachable only if a rule names it. Left out: the host has no
   * names.
   */
  readonly ownHosts?: readonly string[];
}

/** A server's response. */
export interface WebAnswer {
  readonly code: number;
  readonly codeText: string;
  /** The bytes of the body. */
  readonly bytes: number;
  /** The server's content type without parameters; '' if it sent none. */
  readonly contentType: string;
  /** Left out if the body isn't text. */
  readonly text?: string;
  /** The text was longer than the limit for one page, and was cut. */
  readonly isCut?: true;
  /** The target of a redirect, as the server gives it. Left out if the response isn't a redirect. */
  readonly location?: string;
}

/** A page, or the address on another host to which it has moved. */
export interface WebPage extends WebAnswer {
  /** The address after all redirects. */
  readonly url: string;
  /** The page has moved to this address on another host, and wasn't read. */
  readonly movedTo?: string;
}

/** The web, within the limits of one call. */
export interface CallWeb {
  /**
   * Reads a page, or returns it from the session's cache of 15 minutes. Redirects within the host are followed, and
   * each address is judged again. Rejects as {@link WebPort.get} does. Also rejects with `invalid-input` for an
   * address that {@link toPageUrl} refuses, or that redirects in a circle.
   */
  read(url: string, signal: AbortSignal): Promise<WebPage>;
  /** Left out: the query has no `smallModel`. */
  readonly smallModel?: SmallModel;
}

/**
 * How long a page is cached. A page is often read several times for one question, but a later question needs a fresh
 * page.
 */
export const pageFreshMinutes = 15;

/** A fast model beside the conversation's. Its requests count in the session's usage. */
export interface SmallModel {
  readonly name: string;
  /** Rejects with an SdkError: `limit-exceeded` if the budget is spent, or else the model's error. */
  ask(question: SmallQuestion, signal: AbortSignal): Promise<SmallAnswer>;
}

/** One question without a conversation. `maxTokens` limits the answer. */
export interface SmallQuestion {
  readonly system: string;
  readonly text: string;
  readonly maxTokens: number;
}

/** The small model's answer. */
export interface SmallAnswer {
  readonly text: string;
  /** True if the answer reached its token limit, and is cut. */
  readonly isCut: boolean;
}

/**
 * Servers accept addresses of some 8 000 characters. Addresses of pages are shorter. Security: a longer one may carry
 * data out of the session.
 */
const maxUrlChars = 2_048;

/**
 * The address to request: `http:` becomes `https:`, except on this machine. The part from `#` on is removed.
 *
 * @throws ToolError `invalid-input` for a text that isn't the address of a page; the message says what to write
 */
export function toPageUrl(text: string, base?: string): URL {
  if (text.length > maxUrlChars) {
    throw refuse(text, `it is longer than ${maxUrlChars} characters`);
  }
  if (!URL.canParse(text, base)) throw refuse(text, 'it is no whole URL');
  const url = new URL(text, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(text, `only http: and https: can be read, and not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(text, 'a URL may carry no user name and no password');
  }
  if (url.protocol === 'http:' && !isThisMachine(url.hostname)) url.protocol = 'https:';
  url.hash = '';
  return url;
}

/** The host as in rules: with the port unless it is the default one. */
export function toPageHost({ hostname, port }: URL): string {
  const host = hostname.replace(/(?<!\.)\.+$/u, '');
  return port === '' ? host : `${host}:${port}`;
}

function refuse(text: string, why: string): ToolError {
  const url = text.slice(0, 200);
  return new ToolError(
    `"${url}" can't be read: ${why}. Write one such as https://example.com/docs.`,
    { code: 'invalid-input', data: { url } },
  );
}
