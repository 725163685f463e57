import { describe, expect, it } from 'vitest';
import {
  compileHostRules,
  createHostJudge,
  isPublicHost,
  plainHost,
} from '../../../../src/core/access/network-hosts.ts';

const own = new Set(['app.example.com']);

function allows(rules: readonly string[], url: string): boolean {
  return compileHostRules(rules, own).allows(new URL(url));
}

describe('compileHostRules', () => {
  it.each([
    [['example.com'], 'https://example.com/a?b', true],
    [['example.com'], 'http://EXAMPLE.com./', true],
    [['example.com'], 'https://www.example.com/', false],
    [['example.com'], 'https://notexample.com/', false],
    [['example.com'], 'https://example.com.evil.net/', false],
    [['example.com'], 'https://evil.net/?example.com', false],
    [['example.com'], 'https://example.com@evil.net/', false],
    [['example.com'], 'https://example.com:8443/', false],
    [['example.com:8443'], 'https://example.com:8443/', true],
    [['example.com:8443'], 'https://example.com/', false],
    [['example.com:443'], 'https://example.com/', true],
    [['example.com:80'], 'https://example.com/', false],
    [['*.example.com'], 'https://a.b.example.com/', true],
    [['*.example.com'], 'https://example.com/', false],
    [['*.example.com'], 'https://aexample.com/', false],
    [['*'], 'https://example.org/', true],
    [['*'], 'https://8.8.8.8/', true],
    [['*'], 'http://localhost../', false],
    [['*'], 'https://app.example.com../', false],
    [['*:8443'], 'https://example.org:8443/', true],
    [['*'], 'https://example.org:8443/', false],
    [['bücher.example'], 'https://xn--bcher-kva.example/', true],
    [['a.net', 'b.net'], 'https://b.net/', true],
    [[], 'https://example.com/', false],
  ])('of %j let %s through: %s', (rules, url, isAllowed) => {
    expect(allows(rules, url)).toBe(isAllowed);
  });

  it.each(['', 'a b', 'https://a.net', 'a.net/x', '*a.net', 'a.*', '*.', 'a@b', '*:', 'a:99999'])(
    'refuse %j, which is no host',
    (rule) => {
      expect(() => compileHostRules([rule], own)).toThrow('is no rule for hosts');
    },
  );

  it("reach the host's own name, and private ones, only where a rule names them", () => {
    for (const host of ['app.example.com', 'localhost', '127.0.0.1', '[::1]', '192.168.0.7']) {
      expect(allows(['*', '*.example.com'], `https://${host}/`), host).toBe(false);
      expect(allows([host], `https://${host}/`), host).toBe(true);
    }
    expect(allows(['*.localhost'], 'http://a.localhost/')).toBe(false);
  });
});

describe('createHostJudge', () => {
  it.each([
    [{ hosts: ['a.net'] }, 'https://a.net/', 'allow'],
    [{ hosts: ['a.net'] }, 'https://b.net/', 'ask'],
    [{ hosts: ['*'], denied: ['a.net'] }, 'https://a.net/', 'deny'],
    [{ hosts: ['*', 'a.net:8443'], denied: ['a.net'] }, 'https://a.net:8443/', 'deny'],
    [{ hosts: ['*'], denied: ['a.net:8443'] }, 'https://a.net/', 'allow'],
    [{ hosts: ['localhost'], denied: ['*'] }, 'http://localhost/', 'deny'],
    [{ hosts: ['app.example.com'], denied: ['*.example.com'] }, 'https://app.example.com/', 'deny'],
    [{ hosts: [], granted: ['a.net'], denied: ['*.net'] }, 'https://a.net/', 'deny'],
    [{ hosts: ['*'], asked: ['*.a.net'] }, 'https://b.a.net/', 'ask'],
    [{ hosts: [], granted: ['b.a.net'], asked: ['*.a.net'] }, 'https://b.a.net/', 'allow'],
    [{ hosts: ['*'], granted: ['b.a.net'], asked: ['*.a.net'] }, 'https://c.a.net/', 'ask'],
    [{ hosts: [], grantedPublic: ['a.net'], asked: ['a.net'] }, 'https://a.net/', 'allow'],
    [{ hosts: [], grantedPublic: ['a.net'], denied: ['a.net'] }, 'https://a.net/', 'deny'],
    [{ hosts: [], grantedPublic: ['localhost:8080'] }, 'http://localhost:8080/', 'ask'],
    [{ hosts: [], grantedPublic: ['169.254.169.254'] }, 'http://169.254.169.254/', 'ask'],
    [{ hosts: [], grantedPublic: ['app.example.com'] }, 'https://app.example.com/', 'ask'],
    [{ hosts: [], granted: ['app.example.com'] }, 'https://app.example.com/', 'allow'],
    [{ hosts: [], granted: ['localhost:8080'] }, 'http://localhost:8080/', 'allow'],
  ])('with %j says of %s: %s', (access, url, verdict) => {
    expect(createHostJudge(access, own)(new URL(url))).toBe(verdict);
  });
});

describe('isPublicHost', () => {
  it.each([
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'localhost.localdomain',
    'printer',
    'nas.local',
    'router.lan',
    'metadata.google.internal',
    'box.home.arpa',
    'wiki.corp',
    // One address in all the spellings that the URL parser takes for it.
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:8.8.8.8]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[100::1]',
    '[2001:0:7f00:1::]',
    '[2001:db8::1]',
    '[2002:7f00:1::]',
    '[3fff:0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ])('knows %s for none', (host) => {
    expect(isPublicHost(plainHost(new URL(`http://${host}/`)))).toBe(false);
  });

  it.each([
    'example.com',
    'localhost.example.com',
    'xn--bcher-kva.example',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '11.0.0.0',
    '[2606:4700:4700::1111]',
    '[2001:4860:4860::8888]',
    '[2001:200::1]',
    '[2a00::1]',
  ])('knows %s for one', (host) => {
    expect(isPublicHost(plainHost(new URL(`http://${host}/`)))).toBe(true);
  });

  it('takes no time that grows with the square of the dots in a name', () => {
    // One that took the square of their number would outlast the test's own time.
    const name = `a${'.'.repeat(150_000)}b`;
    expect(plainHost(new URL(`http://${name}../`))).toBe(name);
  }, 15_000);
});
