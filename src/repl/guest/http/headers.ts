// Headers of HTTP messages, as Node's http keeps and shows them.
import type { Kernel } from '../kernel-type.ts';

/** Names and values as they were sent, in turns. */
export type RawHeaders = string[];

/** For these only the first value counts. Others are joined (Node's rules). */
const single = new Set(
  (
    'age authorization content-length content-type etag expires from host if-modified-since ' +
    'if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after ' +
    'server user-agent'
  ).split(' '),
);

/** The value of a message's `headers`. */
export function joinHeaders(raw: RawHeaders): Record<string, string | string[]> {
  const headers: Record<string, any> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at].toLowerCase();
    const value = raw[at + 1];
    if (name === 'set-cookie') (headers[name] ??= []).push(value);
    else if (!Object.hasOwn(headers, name)) headers[name] = value;
    else if (!single.has(name)) headers[name] += (name === 'cookie' ? '; ' : ', ') + value;
  }
  return headers;
}

/** The value of a message's `headersDistinct`. */
export function distinctHeaders(raw: RawHeaders): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    (headers[raw[at].toLowerCase()] ??= []).push(raw[at + 1]);
  }
  return headers;
}

/** Refuses names and values as Node does. */
export function makeHeaderChecks(kernel: Kernel) {
  function validateHeaderName(name: unknown, label = 'Header name') {
    if (typeof name === 'string' && /^[!#$%&'*+.^_\x60|~0-9A-Za-z-]+$/.test(name)) return;
    throw kernel.coded(
      TypeError,
      'ERR_INVALID_HTTP_TOKEN',
      label + ' must be a valid HTTP token ["' + String(name) + '"]',
    );
  }
  function validateHeaderValue(name: string, value: unknown) {
    if (value === undefined)
      throw kernel.coded(
        TypeError,
        'ERR_HTTP_INVALID_HEADER_VALUE',
        'Invalid value "undefined" for header "' + name + '"',
      );
    if (/[^\t\x20-\x7e\x80-\xff]/.test(String(value)))
      throw kernel.coded(
        TypeError,
        'ERR_INVALID_CHAR',
        'Invalid character in header content ["' + name + '"]',
      );
  }
  return { validateHeaderName, validateHeaderValue };
}
