// A style sheet with all that it names in it: what it imports, and its pictures and fonts as `data:` addresses. A
// frame without an origin can fetch neither.
import { isRemote, type AppFiles } from './app-files.ts';

/** Told of what isn't there. */
export type OnMissing = (reference: string, from: string) => void;

// Comments are passed over. A text in quotes ends at its own quote.
const reference =
  /\/\*[^]*?\*\/|@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"');]+))\s*\)?\s*([^;]*);|url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')]*?))\s*\)/giu;

export async function inlineStyles(
  files: AppFiles,
  path: string,
  onMissing: OnMissing,
): Promise<string> {
  return inlineText(files, await files.readText(path), path, onMissing, [path]);
}

/** Of a `style` element, or of a sheet that was read. `above`: the sheets that import this one. */
export async function inlineText(
  files: AppFiles,
  text: string,
  from: string,
  onMissing: OnMissing,
  above: readonly string[] = [],
): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const match of text.matchAll(reference)) {
    const [whole, one, two, three, media = '', four, five, six] = match;
    parts.push(text.slice(at, match.index));
    at = match.index + whole.length;
    const imported = one ?? two ?? three;
    const url = four ?? five ?? six;
    if (imported !== undefined) parts.push(await takeIn(imported, media.trim(), whole));
    else if (url !== undefined) parts.push(await toUrl(url, whole));
    else parts.push(whole);
  }
  return [...parts, text.slice(at)].join('');

  async function takeIn(imported: string, media: string, whole: string): Promise<string> {
    // The page's policy refuses it, and the console says so.
    if (isRemote(imported)) return whole;
    const path = await files.find(imported, from);
    if (path === undefined) {
      onMissing(imported, from);
      return '';
    }
    // A circle: it stands further up already.
    if (above.includes(path)) return '';
    const sheet = await files.readText(path);
    const inside = await inlineText(files, sheet, path, onMissing, [...above, path]);
    return media === '' ? inside : `@media ${media} {\n${inside}\n}`;
  }

  async function toUrl(url: string, whole: string): Promise<string> {
    if (url === '' || isRemote(url)) return whole;
    const path = await files.find(url, from);
    if (path !== undefined) return `url("${await files.toDataUrl(path)}")`;
    onMissing(url, from);
    return whole;
  }
}
