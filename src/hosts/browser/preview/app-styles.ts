// Inlines everything that a style sheet refers to: imports, and images and fonts as `data:` URLs,
// because a frame without an origin can fetch neither.
import { isRemote } from './app-files.ts';
import type { DocumentFiles } from './document-files.ts';

/** Called with each reference to a missing file. */
export type OnMissing = (reference: string, from: string) => void;

// Skips comments, and matches strings up to their own quote. Security: each part of the pattern
// ends where another may begin, without ambiguity. So matching is linear, because untrusted sheets
// are scanned on the host page's thread.
const reference =
  /\/\*[^]*?(?:\*\/|$)|@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"');]+))(?:\s*\))?([^;@{}]*);|url\(\s*(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s"'()][^"'()]*)?)\)/giu;

export async function inlineStyles(
  files: DocumentFiles,
  path: string,
  onMissing: OnMissing,
): Promise<string> {
  return inlineText(files, await files.readText(path), path, onMissing, [path]);
}

/** Inlines a `style` element or a sheet. `above` has the sheets that import this one. */
export async function inlineText(
  files: DocumentFiles,
  text: string,
  from: string,
  onMissing: OnMissing,
  above: readonly string[] = [],
): Promise<string> {
  // One list for all sheets. With a string for each, the text of nested imports would be copied
  // repeatedly.
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
    // The policy refuses it, and the console reports that.
    if (isRemote(imported)) {
      parts.push(whole);
      return;
    }
    const path = await files.find(imported, importer);
    if (path === undefined) {
      onMissing(imported, importer);
      return;
    }
    // A cycle of imports.
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
