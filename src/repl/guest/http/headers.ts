// Headers of HTTP messages, in the forms that Node's http keeps and exposes.
import type { Kernel } from '../kernel-type.ts';

/** Names and values alternate, as they were sent. */
export type RawHeaders = string[];

/**
 * Headers of which only the first value counts. The values of all others are joined, as in Node.
 */
const single = new Set(
  (
    'age authorization content-length content-type etag expires from host if-modified-since ' +
    'if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after ' +
    'server user-agent'
  ).split(' '),
);

/** Builds a message's `headers`. */
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

/** Builds a message's `headersDistinct`. */
export function distinctHeaders(raw: RawHeaders): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    (headers[raw[at].toLowerCase()] ??= []).push(raw[at + 1]);
  }
  return headers;
}

/** Returns functions that refuse invalid names and values as Node does. */
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
