// A style sheet with all that it names in it: what it imports, and its pictures and fonts as `data:` addresses. A
// frame without an origin can fetch neither.
import { isRemote } from './app-files.ts';
import type { DocumentFiles } from './document-files.ts';

/** Called with each reference to a missing file. */
export type OnMissing = (reference: string, from: string) => void;

// Comments are passed over. A text in quotes ends at its own quote. Security: each part ends where
// another may begin, and none has two ways to be read. A sheet is anybody's, and is looked through
// on the thread of the page around.
const reference =
  /\/\*[^]*?(?:\*\/|$)|@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"');]+))(?:\s*\))?([^;@{}]*);|url\(\s*(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s"'()][^"'()]*)?)\)/giu;

export async function inlineStyles(
  files: DocumentFiles,
  path: string,
  onMissing: OnMissing,
): Promise<string> {
  return inlineText(files, await files.readText(path), path, onMissing, [path]);
}

/** Of a `style` element, or of a sheet that was read. `above`: the sheets that import this one. */
export async function inlineText(
  files: DocumentFiles,
  text: string,
  from: string,
  onMissing: OnMissing,
  above: readonly string[] = [],
): Promise<string> {
  // One list for all sheets: with a text for each, the deepest would be copied by all that import it.
  const parts: string[] = [];
  await write(text, from, above);
  return parts.join('');

  async function write(sheet: string, path: string, over: readonly string[]): Promise<void> {
    let at = 0;
    for (const match of sheet.matchAll(reference)) {
      const [whole, one, two, three, media = '', four, five, six] = match;
      parts.push(sheet.slice(at, match.index));
      at = match.index + whole.length;
      const imported = one ?? two ?? three;
      const url = four ?? five ?? six?.trimEnd();
      if (imported !== undefined) await takeIn(imported, media.trim(), whole, path, over);
      else if (url !== undefined) parts.push(await toUrl(url, whole, path));
      else parts.push(whole);
    }
    parts.push(sheet.slice(at));
  }

  async function takeIn(
    imported: string,
    media: string,
    whole: string,
    importer: string,
    over: readonly string[],
  ): Promise<void> {
    // The page's policy refuses it, and the console says so.
    if (isRemote(imported)) {
      parts.push(whole);
      return;
    }
    const path = await files.find(imported, importer);
    if (path === undefined) {
      onMissing(imported, importer);
      return;
    }
    // A circle: it stands further up already.
    if (over.includes(path)) return;
    const sheet = await files.readText(path);
    if (media !== '') parts.push(`@media ${media} {\n`);
    await write(sheet, path, [...over, path]);
    if (media !== '') parts.push('\n}');
  }

  async function toUrl(url: string, whole: string, importer: string): Promise<string> {
    if (url === '' || isRemote(url)) return whole;
    const path = await files.find(url, importer);
    if (path !== undefined) return `url("${await files.toDataUrl(path)}")`;
    onMissing(url, importer);
    return whole;
  }
}
