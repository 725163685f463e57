import { describe, expect, it } from 'vitest';
import { toAppDocument } from '../../../src/react/apps/app-document.ts';

const page = { html: '<p>Hello.</p>', resourceDomains: [], connectDomains: [] };

function readPolicy(html: string): ReadonlyMap<string, string> {
  const [, policy = ''] = /content="([^"]*)"/u.exec(html) ?? [];
  return new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')] as const;
    }),
  );
}

describe('toAppDocument', () => {
  it('puts a policy before the first byte of the server, which lets it reach nothing', () => {
    const { html, hosts, refused } = toAppDocument(page);
    expect(html.startsWith('<!doctype html><meta http-equiv="Content-Security-Policy"')).toBe(true);
    expect(html.endsWith('<p>Hello.</p>')).toBe(true);
    expect(Object.fromEntries(readPolicy(html))).toEqual({
      'default-src': "'none'",
      'script-src': "'unsafe-inline' blob:",
      'style-src': "'unsafe-inline'",
      'img-src': 'data: blob:',
      'font-src': 'data:',
      'media-src': 'data: blob:',
      'connect-src': "'none'",
      'worker-src': 'blob:',
      'frame-src': "'none'",
      'object-src': "'none'",
      'base-uri': "'none'",
      'form-action': "'none'",
    });
    expect([hosts, refused]).toEqual([[], []]);
  });

  it('lets it reach the origins that it declared, each for what it is for', () => {
    const { html, hosts } = toAppDocument({
      ...page,
      resourceDomains: ['https://cdn.example.com'],
      connectDomains: ['https://api.example.com:8443/', 'wss://live.example.com'],
    });
    const policy = readPolicy(html);
    expect(policy.get('script-src')).toBe("'unsafe-inline' blob: https://cdn.example.com");
    expect(policy.get('connect-src')).toBe('https://api.example.com:8443 wss://live.example.com');
    expect(hosts).toEqual(['cdn.example.com', 'api.example.com:8443', 'live.example.com']);
  });

  it.each([
    '*',
    'https://*',
    'https://*.example.com',
    'https:',
    'http://example.com',
    'data:',
    "'unsafe-eval'",
    "https://example.com; script-src 'unsafe-eval'",
    'https://example.com/path',
    'https://example.com/?query',
    'https://user:word@example.com',
    'https://localhost',
    'https://localhost:3000',
    'https://api.localhost',
    'https://router.local',
    'https://intranet',
    'https://wiki.internal',
    'https://127.0.0.1',
    'https://127.1',
    'https://0x7f000001',
    'https://192.168.0.1',
    'https://8.8.8.8',
    'https://[::1]',
    'https://nas.home.arpa',
    'https://example.com.',
    'javascript:alert(1)',
    '',
  ])('refuses %j', (declared) => {
    const { html, refused } = toAppDocument({
      ...page,
      resourceDomains: [declared],
      connectDomains: [declared],
    });
    expect(html).toBe(toAppDocument(page).html);
    expect(refused).toEqual([declared]);
  });

  it('takes 50 origins at most', () => {
    const many = Array.from({ length: 60 }, (_, at) => `https://a${at}.example.com`);
    const { hosts, refused } = toAppDocument({ ...page, connectDomains: many });
    expect([hosts.length, refused.length]).toEqual([50, 10]);
  });
});
