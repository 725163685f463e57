// Serves the workspace's files to the app: for fetch and XMLHttpRequest, and for the src of images and media that it
// creates. Everything else was inlined into the document, or is a module.
import { toOwn } from './address.ts';
import type { Report } from './console.ts';
import type { Link, LoadedFile } from './link.ts';
import type { Rest } from './rest.ts';
import { answerXmlHttpRequest } from './xml-http-request.ts';

/** Installs fetch, XMLHttpRequest and the handling of src attributes. */
export function serveFiles(link: Link, rest: Rest, report: Report): void {
  const load = (url: string) => rest.whileBusy(() => link.loadFile(url));
  answerFetch(load);
  answerXmlHttpRequest(load, report);
  followElements(load, report);
}

export type LoadFile = (url: string) => Promise<LoadedFile>;

function answerFetch(load: LoadFile): void {
  const before = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    const url = toOwn(input instanceof Request ? input.url : String(input));
    const { method = input instanceof Request ? input.method : 'GET' } = init ?? {};
    // The policy refuses it, and the console reports that.
    if (url === undefined) return before(input, init);
    if (method.toUpperCase() !== 'GET') {
      throw new TypeError(
        `${method} ${url} failed: a preview has no server. It can only get files.`,
      );
    }
    const file = await load(url);
    init?.signal?.throwIfAborted();
    if (!file) return new Response(null, { status: 404, statusText: 'Not Found' });
    return new Response(file.bytes, { headers: { 'content-type': file.mediaType } });
  };
}

const withSource = 'img[src], audio[src], video[src], source[src], use';

/** Handles elements that the app creates at run time, whose URLs lead nowhere. */
function followElements(load: LoadFile, report: Report): void {
  const made = new Map<string, Promise<string | undefined>>();
  const toUrl = (source: string) => {
    let url = made.get(source);
    if (!url) {
      url = load(source).then((file) => {
        if (file) return URL.createObjectURL(new Blob([file.bytes], { type: file.mediaType }));
        report('request', `${source} isn't in the workspace (404).`);
        return undefined;
      });
      made.set(source, url);
    }
    return url;
  };
  const sprites = new Map<string, Promise<Element | undefined>>();
  const toSprite = (source: string) => {
    const sprite =
      sprites.get(source) ??
      load(source).then((file) => {
        if (file) return insertSprite(new TextDecoder().decode(file.bytes));
        report('request', `${source} isn't in the workspace (404).`);
        return undefined;
      });
    sprites.set(source, sprite);
    return sprite;
  };
  /** A browser draws a part of another file only if it has that address itself. */
  const takeUse = async (element: Element) => {
    const name = element.hasAttribute('href') ? 'href' : 'xlink:href';
    const source = element.getAttribute(name) ?? '';
    const [given = '', id = ''] = source.split('#');
    const path = toOwn(given) ?? '';
    if (path === '') return;
    const sprite = await toSprite(path);
    if (!sprite || element.getAttribute(name) !== source) return;
    if (sprite.querySelector(`[id=${JSON.stringify(id)}]`)) element.setAttribute(name, `#${id}`);
    else report('request', `${path} has nothing with the id ${JSON.stringify(id)}.`);
  };
  const take = async (element: Element) => {
    if (element.localName === 'use') {
      await takeUse(element);
      return;
    }
    const source = element.getAttribute('src') ?? '';
    const path = toOwn(source) ?? '';
    if (path === '') return;
    const url = await toUrl(path);
    if (url !== undefined && element.getAttribute('src') === source) {
      element.setAttribute('src', url);
    }
  };
  new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      for (const node of [target, ...addedNodes]) {
        if (!(node instanceof Element)) continue;
        if (node.matches(withSource)) void take(node);
        if (node === target) continue;
        for (const inside of node.querySelectorAll(withSource)) void take(inside);
      }
    }
  }).observe(document, {
    subtree: true,
    childList: true,
    attributeFilter: ['src', 'href', 'xlink:href'],
  });
}

/** Outside of the body, so that it isn't in the app's way. Without a box: `display: none` would lose its gradients. */
function insertSprite(text: string): Element {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  const sprite = document.importNode(parsed, true);
  sprite.setAttribute('style', 'position: absolute; width: 0; height: 0; overflow: hidden');
  sprite.setAttribute('aria-hidden', 'true');
  document.documentElement.append(sprite);
  return sprite;
}
