import { describe, expect, it } from 'vitest';
import { toPageHost, toPageUrl } from '../../../../src/core/host-ports/web.ts';

describe('toPageUrl', () => {
  it.each([
    ['http://a.net', 'https://a.net/'],
    ['http://a.net:8080/x?y#z', 'https://a.net:8080/x?y'],
    ['https://a.net/', 'https://a.net/'],
    ['http://localhost:3000/x', 'http://localhost:3000/x'],
    ['http://app.localhost/', 'http://app.localhost/'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://[::1]/', 'http://[::1]/'],
    // Not this machine, whatever their names begin or end with.
    ['http://localhost.a.net/', 'https://localhost.a.net/'],
    ['http://127.0.0.1.a.net/', 'https://127.0.0.1.a.net/'],
    ['http://192.168.0.7/', 'https://192.168.0.7/'],
  ])('makes of %s the address %s', (given, asked) => {
    expect(toPageUrl(given).href).toBe(asked);
  });

  it('takes a relative one from where it stands', () => {
    expect(toPageUrl('../y', 'https://a.net/x/z').href).toBe('https://a.net/y');
  });

  it.each(['', '/x', 'a.net', 'data:,x', 'javascript:alert(1)', 'ftp://a.net', 'https://u@a.net'])(
    'refuses %j',
    (given) => {
      expect(() => toPageUrl(given)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    },
  );
});

describe('toPageHost', () => {
  it('names a host as rules do: no dot at its end, and no usual port', () => {
    const urls = ['https://a.net.:443/', 'https://a.net:444/', 'http://[::1]:80/'];
    expect(urls.map((url) => toPageHost(new URL(url)))).toEqual(['a.net', 'a.net:444', '[::1]']);
  });
});
