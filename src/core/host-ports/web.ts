// Pages of the web, as WebFetch reads them: the host's port, what a call is given of it, and which addresses it takes.
import type { HostAccess } from '../access/host-access.ts';
import { isThisMachine } from '../access/network-hosts.ts';
import { ToolError } from '../errors.ts';

/** How a host reads the web, as `Host.web`: in the page, in the isolate, on one thread. */
export interface WebPort {
  /**
   * Asks for one page, without credentials, and follows no redirect. HTML comes as Markdown, other text as it is.
   *
   * Rejects with an SdkError: `permission-denied` where `access` doesn't reach the host,
   * `limit-exceeded` for a page that is too large. It is `invalid-input` where no answer comes, and
   * `aborted` with the signal.
   */
  get(url: string, access: HostAccess | undefined, signal: AbortSignal): Promise<WebAnswer>;
  /** Names of the host itself, as URLs have them: reachable only by a rule that names one. Left out: it has none. */
  readonly ownHosts?: readonly string[];
}

/** What a server answered. */
export interface WebAnswer {
  readonly code: number;
  readonly codeText: string;
  /** The bytes of the body. */
  readonly bytes: number;
  /** The server's content type without parameters; '' if it sent none. */
  readonly contentType: string;
  /** Left out: its bytes are no text. */
  readonly text?: string;
  /** The text was longer than is kept of one page. */
  readonly isCut?: true;
  /** Where it redirects to, as the server says. Left out: it is no redirect. */
  readonly location?: string;
}

/** A page, or the other host that it has moved to. */
export interface WebPage extends WebAnswer {
  /** Where it was at last. */
  readonly url: string;
  /** Nothing was read: it is at this address of another host. */
  readonly movedTo?: string;
}

/** The web, as one call may read it. */
export interface CallWeb {
  /**
   * Reads a page, or gives it as it was read within the last 15 minutes of the session. Redirects within its host are
   * followed, each judged again. Rejects as {@link WebPort.get}, and with `invalid-input` for an address that
   * {@link toPageUrl} refuses or that redirects in a circle.
   */
  read(url: string, signal: AbortSignal): Promise<WebPage>;
  /** Left out: the query has no `smallModel`. */
  readonly smallModel?: SmallModel;
}

/** How long a page is kept: it is read again and again while a question is about it, and news aren't. */
export const pageFreshMinutes = 15;

/** A quick model beside the conversation's, asked on the session's account. */
export interface SmallModel {
  readonly name: string;
  /** Rejects with an SdkError: `limit-exceeded` where the budget is spent, else as the model does. */
  ask(question: SmallQuestion, signal: AbortSignal): Promise<SmallAnswer>;
}

/** One question without a conversation; `maxTokens` bounds the answer. */
export interface SmallQuestion {
  readonly system: string;
  readonly text: string;
  readonly maxTokens: number;
}

/** What the small model said. */
export interface SmallAnswer {
  readonly text: string;
  /** The page was longer than the limit, and is cut. */
  readonly isCut: boolean;
}

/** Servers take addresses of some 8 000 characters. Those of pages are shorter, and what is longer carries something out. */
const maxUrlChars = 2_048;

/**
 * The address that is asked: `http:` becomes `https:`, but not on this machine; what stands behind `#` is left out.
 *
 * @throws ToolError `invalid-input` for what is no address of a page, with what to write.
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

/** The host as rules name it, with the port unless it is the default one. */
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
