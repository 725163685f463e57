// A previewed document has the address `about:srcdoc`, which nothing can be relative to. Routers resolve their paths
// by it, and push fragments. Both work here, as for a file of that path.
import type { Report } from './console.ts';

/** Matches the address of another host, or of data. */
export const remote = /^(?!file:)[a-z][a-z+.-]*:|^\/\//i;

const own = 'about:srcdoc';

export function giveAddress(path: string, report: Report): void {
  const base = `file://${encodeURI(path)}`;
  window.URL = new Proxy(window.URL, {
    construct(target, [url, given]: readonly unknown[], newTarget) {
      if (given === undefined) return Reflect.construct(target, [url], newTarget) as URL;
      const from = String(given).startsWith(own) ? base : given;
      return Reflect.construct(target, [url, from], newTarget) as URL;
    },
  });
  for (const name of ['pushState', 'replaceState'] as const) {
    const before = history[name].bind(history);
    history[name] = (state: unknown, unused: string, url?: string | URL | null) => {
      const text = String(url ?? '');
      if (text === '') before(state, unused);
      // The browser would resolve it by the address of the frame around.
      else if (text.startsWith('#')) before(state, unused, own + text);
      else if (text.startsWith(`${own}#`)) before(state, unused, text);
      else {
        const message = `history.${name} can't set the path ${text}: a preview has no server, so its address is only a fragment. Use the router's hash or memory mode.`;
        report('error', message);
        throw new DOMException(message, 'SecurityError');
      }
    };
  }
}
