// Builds the document of a frame without an origin from an HTML file: adds its policy, and inlines
// the workspace files that it refers to.
import { isRemote } from './app-files.ts';
import { inlineStyles, inlineText, type OnMissing } from './app-styles.ts';
import type { DocumentFiles } from './document-files.ts';
import { frameCode } from './frame-code.ts';
import type { FrameEntry, FrameSetup } from './frame/messages.ts';

export interface AppDocument {
  readonly html: string;
  /** Inline modules of the page, by the names under which entries refer to them. */
  readonly inline: ReadonlyMap<string, string>;
}

/**
 * Security: no address except data in the document itself. The outer frame has a wider policy,
 * which this one restricts. Code made of texts, and wasm, get nothing that an inline script hasn't.
 */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; form-action 'none'; base-uri 'none'";

/** @throws what reading an existing file throws, and what {@link DocumentFiles} throw */
export async function toAppDocument(
  files: DocumentFiles,
  given: Omit<FrameSetup, 'entries'>,
  onMissing: OnMissing,
): Promise<AppDocument> {
  const { path } = given;
  const page = new DOMParser().parseFromString(await files.readText(path), 'text/html');
  // Favicons and prefetched resources have no visible effect.
  for (const link of page.querySelectorAll('link:not([rel~="stylesheet"])')) link.remove();
  for (const link of page.querySelectorAll('link')) await takeStyles(link);
  for (const style of page.querySelectorAll('style')) {
    const text = style.textContent ?? '';
    style.textContent = await inlineText(files, text, path, onMissing);
  }
  for (const element of page.querySelectorAll('[style*="url("]')) {
    const text = element.getAttribute('style') ?? '';
    element.setAttribute('style', await inlineText(files, text, path, onMissing));
  }
  for (const element of page.querySelectorAll('img, audio, video, source, input, image')) {
    for (const name of ['src', 'poster', 'href']) await takeMedia(element, name);
  }
  const { entries, inline } = await takeScripts();
  const head = page.createElement('meta');
  head.httpEquiv = 'Content-Security-Policy';
  head.content = policy;
  const first = page.createElement('script');
  const setup: FrameSetup = { ...given, entries };
  first.textContent = escapeScript(`(${frameCode})(${JSON.stringify(setup)});`);
  page.head.prepend(head, first);
  const doctype = page.doctype ? '<!doctype html>' : '';
  return { html: `${doctype}${page.documentElement.outerHTML}`, inline };

  async function takeStyles(link: Element): Promise<void> {
    const reference = link.getAttribute('href') ?? '';
    // The policy refuses it, and the console reports that.
    if (isRemote(reference)) return;
    const found = await files.find(reference, path);
    if (found === undefined) onMissing(reference, path);
    const style = page.createElement('style');
    const media = link.getAttribute('media');
    if (media !== null) style.media = media;
    style.textContent = found === undefined ? '' : await inlineStyles(files, found, onMissing);
    link.replaceWith(style);
  }

  async function takeMedia(element: Element, name: string): Promise<void> {
    const reference = element.getAttribute(name);
    if (reference === null || reference === '' || isRemote(reference)) return;
    const found = await files.find(reference, path);
    if (found === undefined) onMissing(reference, path);
    // The element stays at its place, so that the app's code finds it.
    else element.setAttribute(name, await files.toDataUrl(found));
  }

  async function takeScripts(): Promise<{
    readonly entries: readonly FrameEntry[];
    readonly inline: ReadonlyMap<string, string>;
  }> {
    const found: FrameEntry[] = [];
    const modules = new Map<string, string>();
    for (const script of page.querySelectorAll('script')) {
      const reference = script.getAttribute('src');
      const isTyped = /\.(?:tsx?|jsx|mts)(?:$|\?)/u.test(reference ?? '');
      const type = script.type.trim().toLowerCase();
      if (type === 'module' || (isTyped && reference !== null)) {
        const name = reference ?? `${path}#${modules.size + 1}`;
        if (reference === null) modules.set(name, script.textContent ?? '');
        // As in a URL: without a dot it is a file beside the page, not a package.
        const isPath = reference === null || /^[./]/u.test(name) || isRemote(name);
        found.push({ type: 'module', specifier: isPath ? name : `./${name}` });
        script.remove();
      } else if (isClassic(type) && reference !== null && !isRemote(reference)) {
        await takeClassic(script, reference, found);
      }
    }
    return { entries: found, inline: modules };
  }

  async function takeClassic(
    script: HTMLScriptElement,
    reference: string,
    found: FrameEntry[],
  ): Promise<void> {
    const file = await files.find(reference, path);
    if (file === undefined) {
      onMissing(reference, path);
      script.remove();
      return;
    }
    const code = await files.readText(file);
    if (script.defer || script.async) {
      found.push({ type: 'script', path: file, code });
      script.remove();
      return;
    }
    script.removeAttribute('src');
    script.textContent = escapeScript(`${code}\n//# sourceURL=${encodeURI(file)}`);
  }
}

function isClassic(type: string): boolean {
  return type === '' || type === 'text/javascript' || type === 'application/javascript';
}

/** Nothing in it ends the element, or begins a comment in which the end would be lost. */
function escapeScript(code: string): string {
  return code.replaceAll(/<(\/script|!--)/giu, String.raw`<\$1`);
}
