// The legacy functions of Node's url, and querystring. Old programs still use them.
import type { Kernel } from '../kernel-type.ts';

/** Returns `parse`, `format`, `resolve` and `Url` of the module url, and the module querystring. */
export function addOldUrl(kernel: Kernel) {
  const slashed = new Set(['http:', 'https:', 'ftp:', 'gopher:', 'file:', 'ws:', 'wss:']);

  class Url {
    declare protocol: string | null;
    declare slashes: boolean | null;
    declare auth: string | null;
    declare host: string | null;
    declare port: string | null;
    declare hostname: string | null;
    declare hash: string | null;
    declare search: string | null;
    declare query: unknown;
    declare pathname: string | null;
    declare path: string | null;
    declare href: string;
    constructor() {
      for (const name of [
        'protocol',
        'slashes',
        'auth',
        'host',
        'port',
        'hostname',
        'hash',
        'search',
        'query',
        'pathname',
        'path',
        'href',
      ])
        this[name] = null;
    }
    format() {
      return format(this);
    }
    parse(text: unknown, parsesQuery?: unknown, slashesAreHost?: unknown) {
      Object.assign(this, parse(text, parsesQuery, slashesAreHost));
      return this;
    }
    resolve(to: string) {
      return resolve(format(this), to);
    }
  }

  function parse(given: unknown, parsesQuery: unknown = false, slashesAreHost: unknown = false) {
    if (given instanceof Url) return given;
    if (typeof given !== 'string') throw kernel.invalidType('url', 'of type string', given);
    const url = new Url();
    const [, before, after] = /^([^?#]*)([^]*)$/.exec(given.trim()) as string[];
    let rest = before.replaceAll('\\', '/') + after;
    const [proto] = /^[a-z0-9.+-]+:/i.exec(rest) ?? [];
    if (proto !== undefined) {
      url.protocol = proto.toLowerCase();
      rest = rest.slice(proto.length);
    }
    const isScript = url.protocol === 'javascript:';
    const mayHaveHost = slashesAreHost || proto !== undefined || /^\/\/[^@/]+@[^@/]+/.test(rest);
    const hasSlashes = Boolean(mayHaveHost) && rest.startsWith('//') && !isScript;
    if (hasSlashes) {
      rest = rest.slice(2);
      url.slashes = true;
    }
    if (!isScript && (hasSlashes || (url.protocol !== null && !slashed.has(url.protocol)))) {
      const [authority] = /^[^/?#]*/.exec(rest) as RegExpExecArray;
      rest = rest.slice(authority.length);
      const at = authority.lastIndexOf('@');
      if (at !== -1) url.auth = decodeURIComponent(authority.slice(0, at));
      // A character that no host has ends it, and begins the path.
      const [place] = /^[^\t\n\r "%';<>\\^\x60{|}]*/.exec(
        authority.slice(at + 1),
      ) as RegExpExecArray;
      rest = authority.slice(at + 1 + place.length) + rest;
      const [, name, port] = /^([^]*?)(?::(\d*))?$/.exec(place) as string[];
      url.port = port ? port : null;
      const lower = name.toLowerCase();
      url.hostname = lower.startsWith('[') && lower.endsWith(']') ? lower.slice(1, -1) : lower;
      url.host = lower + (url.port === null ? '' : ':' + url.port);
    }
    if (!isScript)
      rest = rest.replace(
        /[\t\n\r "'<>\\^\x60{|}]/g,
        (char) => '%' + char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'),
      );
    const [, pathname, search, hash] = /^([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(rest) as (
      string | undefined
    )[];
    url.hash = hash ?? null;
    url.search = search ?? null;
    url.query = search === undefined ? null : search.slice(1);
    if (parsesQuery) {
      url.query = querystring.parse(search?.slice(1) ?? '');
    }
    url.pathname = pathname ? pathname : null;
    if (url.protocol !== null && slashed.has(url.protocol) && url.hostname && !url.pathname)
      url.pathname = '/';
    if (url.pathname !== null || url.search) url.path = (url.pathname ?? '') + (url.search ?? '');
    url.href = format(url);
    return url;
  }

  function format(given): string {
    if (typeof given === 'string') return parse(given).href ?? '';
    if (typeof given !== 'object' || given === null)
      throw kernel.invalidType('urlObject', 'one of type object or string', given);
    if (given instanceof kernel.URL) return given.href;
    const auth = given.auth ? encodeURIComponent(given.auth).replace(/%3A/i, ':') + '@' : '';
    let protocol = given.protocol ?? '';
    if (protocol !== '' && !protocol.endsWith(':')) protocol += ':';
    let host = '';
    if (given.host) host = auth + given.host;
    else if (given.hostname) {
      const name = given.hostname;
      const isBare = name.includes(':') && !name.startsWith('[');
      host = auth + (isBare ? '[' + name + ']' : name) + (given.port ? ':' + given.port : '');
    }
    const isQuery = typeof given.query === 'object' && given.query !== null;
    const query = isQuery ? querystring.stringify(given.query) : '';
    let search = given.search ?? (query === '' ? '' : '?' + query);
    if (search !== '' && !search.startsWith('?')) search = '?' + search;
    let hash = given.hash ?? '';
    if (hash !== '' && !hash.startsWith('#')) hash = '#' + hash;
    let pathname = (given.pathname ?? '').replace(/[?#]/g, (char) => encodeURIComponent(char));
    const takesSlashes = given.slashes || slashed.has(protocol);
    if (takesSlashes && (given.slashes || host !== '')) {
      if (pathname !== '' && !pathname.startsWith('/')) pathname = '/' + pathname;
      host = '//' + host;
    } else if (protocol === 'file:' && host === '') host = '//';
    return protocol + host + pathname + search.replaceAll('#', '%23') + hash;
  }

  /** As Node's documentation implements it with URL. */
  /** Returns a host's name in ASCII. Empty if the name is invalid. */
  function hostOf(domain: unknown): string {
    try {
      return (new kernel.URL('ws://' + String(domain)) as unknown as { hostname: string }).hostname;
    } catch {
      return '';
    }
  }
  function urlToHttpOptions(url) {
    const { protocol, hash, search, pathname, href, port, username, password } = url;
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return {
      ...{ protocol, hostname, hash, search, pathname, path: pathname + search, href },
      ...(port !== '' && { port: Number(port) }),
      ...((username || password) && {
        auth: decodeURIComponent(username) + ':' + decodeURIComponent(password),
      }),
    };
  }
  function resolve(from: string, to: string): string {
    const resolved = new kernel.URL(to, new kernel.URL(from, 'resolve://'));
    if (resolved.protocol !== 'resolve:') return resolved.href;
    const { pathname, search, hash } = resolved;
    return pathname + search + hash;
  }

  const unescape = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      // Invalid escapes stay as they are.
      const bytes = text.replace(/%([0-9a-f]{2})/gi, (_whole, digits) =>
        String.fromCharCode(parseInt(digits, 16)),
      );
      return kernel.decode(kernel.encode(bytes, 'latin1'));
    }
  };
  const toText = (value: unknown): string =>
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
      ? String(value)
      : '';
  const querystring = {
    parse(text: unknown, separator = '&', equals = '=', options: QueryOptions = {}) {
      const found = Object.create(null);
      if (typeof text !== 'string' || text === '') return found;
      const decode = (part: string) =>
        (options.decodeURIComponent ?? querystring.unescape)(part.replaceAll('+', '%20'));
      const { maxKeys = 1000 } = options;
      const parts = text.split(separator || '&').filter((part) => part !== '');
      for (const part of maxKeys > 0 ? parts.slice(0, maxKeys) : parts) {
        const at = part.indexOf(equals || '=');
        const key = decode(at === -1 ? part : part.slice(0, at));
        const value = at === -1 ? '' : decode(part.slice(at + (equals || '=').length));
        found[key] = key in found ? [found[key], value].flat() : value;
      }
      return found;
    },
    stringify(values: unknown, separator = '&', equals = '=', options: QueryOptions = {}) {
      if (typeof values !== 'object' || values === null) return '';
      const encode = (value: unknown) =>
        (options.encodeURIComponent ?? querystring.escape)(toText(value));
      return Object.entries(values)
        .flatMap(([key, value]) =>
          [value].flat().map((item) => encode(key) + (equals || '=') + encode(item)),
        )
        .join(separator || '&');
    },
    escape: (text: unknown): string => encodeURIComponent(String(text)),
    unescape,
  };
  return {
    url: {
      ...{ Url, parse, format, resolve },
      resolveObject: (from: string, to: string) => parse(resolve(from, to)),
      domainToASCII: hostOf,
      // The Unicode form isn't known here, so the ASCII form is returned.
      domainToUnicode: hostOf,
      urlToHttpOptions,
    },
    querystring: Object.assign(querystring, {
      decode: querystring.parse,
      encode: querystring.stringify,
    }),
  };
}

interface QueryOptions {
  readonly decodeURIComponent?: (text: string) => string;
  readonly encodeURIComponent?: (text: string) => string;
  readonly maxKeys?: number;
}
