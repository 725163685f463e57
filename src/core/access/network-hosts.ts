// Decides which hosts code or a tool may reach: a list of rules, and the hosts that no wildcard
// covers. Names and addresses are judged as the URL has them, because DNS results aren't known
// here. A public name may resolve to a private address, and only the network can refuse that.
import { SdkError } from '../errors.ts';
import type { HostAccess } from './host-access.ts';

/**
 * May a request go to this URL? Each rule is a host: `example.com`, `*.example.com` (whatever is
 * below it), `*` (every public host), `[::1]`, `192.168.0.7`. It allows the scheme's own port only,
 * unless it ends in another: `localhost:8080`.
 */
export interface HostRules {
  allows(url: URL): boolean;
}

/** @throws SdkError `bad-usage` for a rule that is no host. */
export function compileHostRules(
  rules: readonly string[],
  ownHosts: ReadonlySet<string>,
): HostRules {
  const compiled = rules.map(compileRule);
  return {
    allows: (url) => {
      const host = plainHost(url);
      const isOpen = isOpenHost(url, ownHosts);
      return compiled.some(
        (rule) => hasPort(url, rule.port) && (rule.host === host || (isOpen && rule.covers(host))),
      );
    },
  };
}

function isOpenHost(url: URL, ownHosts: ReadonlySet<string>): boolean {
  const host = plainHost(url);
  return isPublicHost(host) && !ownHosts.has(host);
}

/**
 * Judges by deny, grant, ask, allow, in this order; what nothing allows is to be asked, too. A rule
 * that denies or asks holds for private hosts as well, and without a port for every port.
 *
 * @throws SdkError `bad-usage` for a rule that is no host.
 */
export function createHostJudge(
  { hosts, granted = [], grantedPublic = [], asked = [], denied = [], isOpen }: HostAccess,
  ownHosts: ReadonlySet<string>,
): (url: URL) => 'allow' | 'ask' | 'deny' {
  if (isOpen) return () => 'allow';
  const allow = compileHostRules(hosts, ownHosts);
  const grant = compileHostRules(granted, ownHosts);
  const grantPublic = compileHostRules(grantedPublic, ownHosts);
  const holdsBack = (rules: readonly string[]) => {
    const compiled = rules.map(compileRule);
    return (url: URL) => {
      const host = plainHost(url);
      return compiled.some(
        (rule) =>
          (rule.port === '' || hasPort(url, rule.port)) &&
          (rule.host === host || rule.covers(host)),
      );
    };
  };
  const denies = holdsBack(denied);
  const asks = holdsBack(asked);
  return (url) => {
    if (denies(url)) return 'deny';
    if (grant.allows(url) || (isOpenHost(url, ownHosts) && grantPublic.allows(url))) return 'allow';
    return !asks(url) && allow.allows(url) ? 'allow' : 'ask';
  };
}

interface CompiledRule {
  /** The one host that it names; undefined for wildcards. */
  readonly host: string | undefined;
  /** Empty for the scheme's own. */
  readonly port: string;
  covers(host: string): boolean;
}

function hasPort(url: URL, port: string): boolean {
  const usual = url.protocol === 'https:' ? '443' : '80';
  return port === '' ? url.port === '' : port === (url.port || usual);
}

function compileRule(rule: string): CompiledRule {
  const [, wildcard = '', rest = ''] = /^(\*\.?)?(.*)$/su.exec(rule) ?? [];
  const port = /:(\d+)$/u.exec(rest)?.[1] ?? '';
  if (wildcard === '*' && rest === (port && `:${port}`)) {
    return { host: undefined, port, covers: () => true };
  }
  const url = URL.canParse(`https://${rest}`) ? new URL(`https://${rest}`) : undefined;
  if (!url || wildcard === '*' || /[/?#@\\\s*]/u.test(rest)) {
    throw new SdkError(
      'bad-usage',
      `"${rule}" is no rule for hosts: write a host (example.com), all below one (*.example.com) ` +
        'or *, and a port behind it where it is not the usual one.',
    );
  }
  const host = plainHost(url);
  const end = `.${host}`;
  return wildcard === ''
    ? { host, port, covers: () => false }
    : { host: undefined, port, covers: (asked) => asked.endsWith(end) };
}

/** Without the dots that it may end in: one by right, more by mistake. The URL parser has done all else. */
export function plainHost(url: URL): string {
  return url.hostname.replace(/(?<!\.)\.+$/u, '');
}

/** Does this name lead to this machine, whatever a DNS says? As a URL spells it, or without the brackets of IPv6. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|::1|\[::1\])$/u.test(hostname);
}

/**
 * Is this host, as a URL spells it, one of the public internet? False for this machine, its own
 * network, and addresses with a special purpose (RFC 6890 and the registries that it began).
 */
export function isPublicHost(host: string): boolean {
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  // The URL parser has turned every spelling of an IPv4 address (hex, octal, one number) into this.
  if (/^\d+\.\d+\.\d+\.\d+$/u.test(host)) return isPublicIpv4(host);
  return !privateNames.test(host);
}

// Names of one label are found in the own network only; the others are kept for private use.
const privateNames =
  /^[^.]*$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test)$/u;

/** Address ranges that are not the public internet, by first address and length of the prefix. */
const privateIpv4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
  '224.0.0.0/4 240.0.0.0/4'
)
  .split(' ')
  .map((range) => {
    const [address = '', bits = ''] = range.split('/');
    return { first: ipv4Number(address), size: 2 ** (32 - Number(bits)) };
  });

function ipv4Number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isPublicIpv4(address: string): boolean {
  const number = ipv4Number(address);
  return !privateIpv4.some(({ first, size }) => number >= first && number < first + size);
}

/**
 * Global unicast (2000::/3) without what is set aside in it: protocol assignments and Teredo
 * (2001::/23), documentation (2001:db8::/32, 3fff::/20) and 6to4 (2002::/16). So mapped, translated
 * and compatible IPv4 addresses are none: nobody needs those for a public host.
 */
function isPublicIpv6(address: string): boolean {
  const [head = ''] = address.split('::');
  const [first = 0, second = 0] = head.split(':').map((group) => Number.parseInt(group || '0', 16));
  if (first < 0x2000 || first > 0x3fff) return false;
  if (first === 0x2001) return second >= 0x0200 && second !== 0x0db8;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}
