// Ways by which an app could get out what it knows, each as a document that tries it and says so.

/** By name, the script; `to`: the address to reach. What a way needs a person for, it does by itself. */
const ways = {
  fetch: (to) => `fetch('${to}').catch(() => 0)`,
  image: (to) => `new Image().src = '${to}'`,
  beacon: (to) => `navigator.sendBeacon('${to}', 'secret')`,
  socket: (to) => `new WebSocket('${to.replace('http', 'ws')}')`,
  events: (to) => `new EventSource('${to}')`,
  prefetch: (to) => link('prefetch', to),
  preload: (to) => `${link('preload', to)}; l.as = 'image'`,
  stylesheet: (to) => link('stylesheet', to),
  font: (to) => `new FontFace('f', 'url(${to})').load().catch(() => 0)`,
  video: (to) => `document.createElement('video').src = '${to}'`,
  script: (to) => `add('script', { src: '${to}' })`,
  object: (to) => `add('object', { data: '${to}' })`,
  form: (to) =>
    `const f = add('form', { action: '${to}', method: 'post' }); f.append(document.createElement('input')); f.submit()`,
  frame: (to) => `add('iframe', { src: '${to}' })`,
  // A frame that begins empty may be written into before it is led anywhere.
  nested: (to) =>
    `const n = add('iframe', {}); n.srcdoc = '<img src="${to}"><meta http-equiv="refresh" content="0;url=${to}">'`,
  popup: (to) => `open('${to}')`,
  link: (to) => `add('a', { href: '${to}', target: '_blank' }).click()`,
  ping: (to) => `add('a', { href: 'javascript:void 0', ping: '${to}' }).click()`,
  download: (to) => `add('a', { href: '${to}', download: 'secret.txt' }).click()`,
  navigation: (to) => `location.href = '${to}'`,
  refresh: (to) => `add('meta', { httpEquiv: 'refresh', content: '0;url=${to}' })`,
  worker: (to) =>
    `new Worker(URL.createObjectURL(new Blob(['fetch("${to}")'], { type: 'text/javascript' })))`,
  imports: (to) =>
    `new Worker(URL.createObjectURL(new Blob(['importScripts("${to}")'], { type: 'text/javascript' })))`,
  module: (to) => `import('${to}').catch(() => 0)`,
} satisfies Readonly<Record<string, (to: string) => string>>;

function link(rel: string, to: string): string {
  return `const l = document.createElement('link'); l.rel = '${rel}'; l.href = '${to}'; document.head.append(l)`;
}

export const wayNames: readonly string[] = [...Object.keys(ways), 'top'];

const helpers = `
const add = (name, fields) => {
  const made = Object.assign(document.createElement(name), fields);
  document.body.append(made);
  return made;
};
const tell = () => parent.postMessage('tried', '*');`;

/** Ways that lead the document itself away, and with it all others of the same one. */
const leading: ReadonlySet<string> = new Set(['form', 'download', 'navigation', 'refresh']);

/** One document for all ways that stay, and one for each other. `where`: told to the listener. */
export function toApps(listener: string, where: string): readonly string[] {
  const all = Object.entries(ways).map(([name, write]) => ({
    name,
    script: write(`${listener}/${where}/${name}`),
  }));
  const led = all.filter(({ name }) => leading.has(name));
  const staying = all.filter(({ name }) => !leading.has(name));
  return [toApp(...staying.map(({ script }) => script)), ...led.map(({ script }) => toApp(script))];
}

/** Leads the whole page away. */
export const toTopApp = (listener: string, where: string): string =>
  toApp(`top.location.href = '${listener}/${where}/top'`);

function toApp(...scripts: readonly string[]): string {
  const tries = scripts.map((script) => `try { ${script} } catch (error) { console.debug(error) }`);
  return `<!doctype html><html><head></head><body><script>${helpers}
tell();
${tries.join('\n')}
</script></body></html>`;
}

/** Asks a STUN server, which hears of it by UDP. */
export const toPeerApp = (udpPort: number): string =>
  toApp(`const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udpPort}' }] });
peer.createDataChannel('secret');
peer.createOffer().then((offer) => peer.setLocalDescription(offer));`);
