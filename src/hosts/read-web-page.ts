// Fetches one web page and converts it to text. The request goes through the broker of cells'
// requests, so the same rules apply. Loaded by web-network.ts with the first page.
import type { HostAccess } from '../core/access/host-access.ts';
import { clipText } from '../core/text/clip-text.ts';
import { SdkError, hasCode } from '../core/errors.ts';
import type { FetchPort } from '../core/host-ports/fetch-port.ts';
import { VERSION } from '../core/version.ts';
import type { WebAnswer } from '../core/host-ports/web.ts';
import {
  createNetworkBroker,
  type GuestResponse,
  type NetworkAsker,
} from '../repl/host/network-broker.ts';
import { decodeText, isBinary } from '../text/encoding.ts';
import { htmlToMarkdown } from '../text/html-to-markdown.ts';

// 5 MB: a page is in memory as bytes, as text and as Markdown at once. A whole book on one page is
// smaller.
const maxBytes = 5 * 1024 * 1024;
// A million characters: more than a model's whole window can hold of one page.
const maxChars = 1_000_000;

const asker: NetworkAsker = { name: 'WebFetch', toRule: (host) => `WebFetch(domain:${host})` };

/** See `WebPort.get`. */
export async function readWebPage(
  port: FetchPort,
  url: string,
  access: HostAccess | undefined,
  signal: AbortSignal,
): Promise<WebAnswer> {
  const broker = createNetworkBroker(port, access, createMeter(url), asker);
  const request = { url, method: 'GET', headers: toHeaders(port), body: undefined } as const;
  const response = await broker
    .fetch({ ...request, redirect: 'manual' }, signal)
    .catch((error: unknown) => {
      throw port.redirect === 'error' ? addProxy(error) : error;
    });
  const { status: code, statusText: codeText, body } = response;
  const type = getHeader(response, 'content-type') ?? '';
  const contentType = (type.split(';')[0] ?? '').trim().toLowerCase();
  const answer = { code, codeText, bytes: body.length, contentType };
  const location = getHeader(response, 'location');
  if (code >= 300 && code < 400 && location !== undefined) return { ...answer, location };
  const label = charset.exec(type)?.[1] ?? findDeclared(contentType, body);
  if (!isText(contentType, body, label)) return answer;
  const text = decode(body, label);
  return { ...answer, ...(await toReadable(text, contentType, response.url, signal)) };
}

/** A tab can't know the reason. The message names the host option that may help. */
function addProxy(error: unknown): unknown {
  if (!hasCode(error, 'invalid-input')) return error;
  return new SdkError(
    'invalid-input',
    `${error.message} Ask the user for what the page says. (A host reads such pages through a proxy of its own: createBrowserHost({ web: { proxy } }), with createWebProxy of rockpool/edge.)`,
    { data: error.data, cause: error },
  );
}

/** Counts bytes as they arrive, so at most the limit is held in memory. */
function createMeter(url: string) {
  let bytes = 0;
  return {
    take(what: string, amount = 1) {
      if (what !== 'maxFetchBytes') return;
      bytes += amount;
      if (bytes <= maxBytes) return;
      throw new SdkError(
        'limit-exceeded',
        `${url} has more than ${maxBytes / 1024 / 1024} MB, and WebFetch reads no more of a page. Look for a smaller one, such as a part of it or its text version.`,
        { data: { url, maxBytes } },
      );
    },
  };
}

/** A user-agent of a page's own would need a CORS preflight, which most servers refuse. */
function toHeaders({ redirect }: FetchPort): (readonly [string, string])[] {
  const accept = 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5';
  const agent = ['user-agent', `rockpool/${VERSION}`] as const;
  return [['accept', accept], ...(redirect === 'manual' ? [agent] : [])];
}

function getHeader({ headers }: GuestResponse, wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1];
}

const textTypes =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml)|application\/(?:javascript|ecmascript|x-yaml|toml|x-ndjson|jsonl|sql|graphql|rtf))$/u;

/**
 * True for text types, or for a body of unknown type without NUL bytes other than those of UTF-16.
 */
function isText(contentType: string, body: Uint8Array, label = ''): boolean {
  return contentType === '' || isHtml(contentType) || textTypes.test(contentType)
    ? label.toLowerCase().startsWith('utf-16') || !isBinary(body)
    : false;
}

const charset = /charset\s*=\s*["']?([\w.:-]+)/iu;

/** Finds the encoding that an HTML page declares in its first kilobyte, as browsers do. */
function findDeclared(contentType: string, body: Uint8Array): string | undefined {
  if (!isHtml(contentType)) return undefined;
  const start = new TextDecoder('latin1').decode(body.subarray(0, 1_024));
  const shown = start.replace(/<!--[^]*?(?:-->|$)/gu, '');
  const label = /<meta\b[^>]*?\bcharset\s*=\s*["']?([\w.:-]+)/iu.exec(shown)?.[1];
  // A declaration readable as single bytes can't be in UTF-16, so UTF-8 is used instead (HTML
  // Standard).
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label;
}

function isHtml(contentType: string): boolean {
  return contentType === 'text/html' || contentType === 'application/xhtml+xml';
}

/**
 * Decodes with the encoding that the server or the page declares. Without a known one, it is
 * detected as for a file.
 */
function decode(body: Uint8Array, label: string | undefined): string {
  if (label === undefined || hasByteOrderMark(body)) return decodeText(body).text;
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(label);
  } catch {
    return decodeText(body).text;
  }
  return decoder.decode(body);
}

/** A byte order mark takes precedence over every declaration. */
function hasByteOrderMark([first, second, third]: Uint8Array): boolean {
  if (first === 0xef) return second === 0xbb && third === 0xbf;
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
}

async function toReadable(
  text: string,
  contentType: string,
  url: string,
  signal: AbortSignal,
): Promise<Pick<WebAnswer, 'text' | 'isCut'>> {
  if (
    !isHtml(contentType) &&
    !(contentType === '' && /^\s*<(?:!doctype\s+html|html)/iu.test(text))
  ) {
    const kept = clipText(text, maxChars);
    return { text: kept, ...(kept.length < text.length && { isCut: true as const }) };
  }
  const { title, markdown, isCut } = await htmlToMarkdown(text, { url, maxChars, signal });
  const heading = title === '' ? '' : `Title: ${title}\n\n`;
  return { text: `${heading}${markdown}`, ...(isCut && { isCut: true as const }) };
}
