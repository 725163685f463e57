import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('URL and URLSearchParams', () => {
  it.each([
    [
      '["http://EXAMPLE.com:80/a/../b?q#f", "https://a.b:443/", "http://ü.de/ü?ü#ü", "http://0x7f.1/", "file:///a b/../c", "http://a/%7Ea/./b/", "HTTP:\\\\\\\\a\\\\b", "mailto:a@b", "http://[::1]:8080/"].map((text) => new URL(text).href)',
      "[\n  'http://example.com/b?q#f',\n  'https://a.b/',\n  'http://xn--tda.de/%C3%BC?%C3%BC#%C3%BC',\n  'http://127.0.0.1/',\n  'file:///c',\n  'http://a/%7Ea/b/',\n  'http://a/b',\n  'mailto:a@b',\n  'http://[::1]:8080/'\n]",
    ],
    [
      '["//x.y/z", "?q", "#f", "../d", "/e", "g:h", "", "./"].map((text) => new URL(text, "http://a/b/c?d#e").href)',
      "[\n  'http://x.y/z',\n  'http://a/b/c?q',\n  'http://a/b/c?d#f',\n  'http://a/d',\n  'http://a/e',\n  'g:h',\n  'http://a/b/c?d',\n  'http://a/b/'\n]",
    ],
    [
      '["http://", "http://a:99999/", "http://[::1", "nope", "//a", "http://%00/", "http://a<b"].map((text) => URL.canParse(text))',
      '[ false, false, false, false, false, false, false ]',
    ],
    [
      'const u = new URL("https://me:pw@ex.com:8080/p/a?x=1#h"); [u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]',
      "[\n  'https://ex.com:8080',\n  'https:',\n  'me',\n  'pw',\n  'ex.com:8080',\n  'ex.com',\n  '8080',\n  '/p/a',\n  '?x=1',\n  '#h'\n]",
    ],
    [
      'const s = new URL("http://a/b"); s.protocol = "https"; s.username = "m e"; s.password = "p:w"; s.host = "c:81"; s.pathname = "x y"; s.search = "a=ü"; s.hash = "h h"; s.port = "abc"; s.href',
      "'https://m%20e:p%3Aw@c:81/x%20y?a=%C3%BC#h%20h'",
    ],
    [
      'const h = new URL("http://a/b"); h.port = "0"; h.protocol = "nope"; h.href',
      "'http://a:0/b'",
    ],
    [
      'const q = new URL("http://a/b?x=1"); const held = q.searchParams; held.append("y", "a b&"); q.search = "?z=2"; const after = held.get("z"); held.delete("z"); [q.href, after, held === q.searchParams, held.size]',
      "[ 'http://a/b', '2', true, 0 ]",
    ],
    [
      'const v = new URL("http://a/?x=1"); const params = v.searchParams; v.href = "http://b/?y=2"; [params.get("y"), params.get("x"), v.host]',
      "[ '2', null, 'b' ]",
    ],
    [
      'const p = new URLSearchParams("?a=1&b=2&a=3&=4&c"); [p.getAll("a"), p.has("a", "3"), p.has("a", "9"), p.get("none"), p.get(""), p.get("c"), p.size, p.toString()]',
      "[ [ '1', '3' ], true, false, null, '4', '', 5, 'a=1&b=2&a=3&=4&c=' ]",
    ],
    [
      'const e = new URLSearchParams("a=1&a=2&b=3"); e.delete("a", "2"); e.set("b", "9"); e.append("é", "&=+ "); e.sort(); [e.toString(), [...e.keys()], [...e.values()], Object.fromEntries(e)]',
      "[\n  'a=1&b=9&%C3%A9=%26%3D%2B+',\n  [ 'a', 'b', 'é' ],\n  [ '1', '9', '&=+ ' ],\n  { a: '1', b: '9', 'é': '&=+ ' }\n]",
    ],
    [
      '[new URLSearchParams([["a", "1"]]), new URLSearchParams({ b: 2 }), new URLSearchParams(new Map([["c", "3"]])), new URLSearchParams(new URLSearchParams("d=4")), new URLSearchParams("e=%zz+%41")].map(String)',
      "[ 'a=1', 'b=2', 'c=3', 'd=4', 'e=%25zz+A' ]",
    ],
    [
      '[JSON.stringify(new URL("http://a")), String(new URL("http://a")), Object.prototype.toString.call(new URL("http://a")), URL.parse("x"), URL.parse("/b", "http://a").href]',
      `[ '"http://a/"', 'http://a/', '[object URL]', null, 'http://a/b' ]`,
    ],
    [
      '[new URLSearchParams("a=1&b=2"), new URLSearchParams(), new URL("http://a/?b").searchParams]',
      "[\n  URLSearchParams { 'a' => '1', 'b' => '2' },\n  URLSearchParams {},\n  URLSearchParams { 'b' => '' }\n]",
    ],
    [
      'new URL("http://a.b/c?d#e")',
      "URL {\n  href: 'http://a.b/c?d#e',\n  origin: 'http://a.b',\n  protocol: 'http:',\n  username: '',\n  password: '',\n  host: 'a.b',\n  hostname: 'a.b',\n  port: '',\n  pathname: '/c',\n  search: '?d',\n  searchParams: URLSearchParams { 'd' => '' },\n  hash: '#e'\n}",
    ],
  ])('are those of the standard: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });

  it('refuse what is none', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(`
        const seen = [];
        for (const attempt of [() => new URL('nope'), () => { new URL('http://a').href = 'nope' }, () => new URLSearchParams([['a']])]) {
          try { attempt() } catch (error) { seen.push([error.name, error.code, error.message]) }
        }
        seen`),
    ).toBe(
      [
        '[',
        "  [ 'TypeError', 'ERR_INVALID_URL', 'Invalid URL' ],",
        "  [ 'TypeError', 'ERR_INVALID_URL', 'Invalid URL' ],",
        '  [',
        "    'TypeError',",
        "    'ERR_INVALID_TUPLE',",
        "    'Each query pair must be an iterable [name, value] tuple'",
        '  ]',
        ']',
      ].join('\n'),
    );
  });
});

it('lets a class of its own tell what a list has by the methods that it replaces', async () => {
  const repl = await openRepl();
  for (const [base, argument] of [
    ['URLSearchParams', "'a=1'"],
    ['Headers', '{ a: 1 }'],
    ['FormData', ''],
  ])
    expect(
      await repl.value(`
        class Own extends ${base} {
          *entries() { for (const name of this.keys()) yield [name, this.get(name) + '!']; }
          [Symbol.iterator]() { return this.entries(); }
        }
        const own = new Own(${argument});
        own.set('a', '1');
        const seen = [];
        own.forEach((value, name) => seen.push(name + value));
        JSON.stringify([[...own], [...own.values()], seen])`),
    ).toBe(`'[[["a","1!"]],["1"],["a1"]]'`);
});
