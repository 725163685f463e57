// Inlines everything that a style sheet refers to: imports, and images and fonts as `data:` URLs,
// because a frame without an origin can fetch neither.
import { dirname, resolvePath } from '../../../core/path.ts';
import { isRemote } from './app-files.ts';
import type { DocumentFiles } from './document-files.ts';

/** Called with each reference to a missing file. */
export type OnMissing = (reference: string, from: string) => void;

// Skips comments, and matches strings up to their own quote. Security: each part of the pattern
// ends where another may begin, without ambiguity. So matching is linear, because untrusted sheets
// are scanned on the host page's thread.
const reference =
  /\/\*[^]*?(?:\*\/|$)|@(?:plugin|config)\s+["'](\.[^"'\n]*)["']|@(import|reference)\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"');]+))(?:\s*\))?([^;@{}]*);|url\(\s*(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s"'()][^"'()]*)?)\)/giu;

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
      const [whole, code, rule = '', one, two, three, how = '', four, five, six] = match;
      parts.push(sheet.slice(at, match.index));
      at = match.index + whole.length;
      const imported = one ?? two ?? three;
      const url = four ?? five ?? six?.trimEnd();
      // Tailwind loads it later, for another file.
      if (code !== undefined) parts.push(whole.replace(code, resolvePath(dirname(path), code)));
      else if (imported !== undefined) {
        // Tailwind's own: a sheet that is known here, but isn't repeated.
        const isKnown = rule.toLowerCase() === 'reference';
        await takeIn(imported, isKnown ? 'reference' : how.trim(), whole, path, over);
      } else if (url !== undefined) parts.push(await toUrl(url, whole, path));
      else parts.push(whole);
    }
    parts.push(sheet.slice(at));
  }

  async function takeIn(
    imported: string,
    how: string,
    whole: string,
    importer: string,
    over: readonly string[],
  ): Promise<void> {
    // The policy refuses it, and the console reports that.
    if (isRemote(imported)) {
      parts.push(whole);
      return;
    }
    const path = await files.findSheet(imported, importer);
    if (path === undefined) {
      // Whoever runs Tailwind finds this, and says that it isn't installed.
      if (/^tailwindcss(?:\/|$)/u.test(imported)) parts.push('@tailwind utilities;');
      else onMissing(imported, importer);
      return;
    }
    // A cycle of imports.
    if (over.includes(path)) return;
    const sheet = await files.readText(path);
    const around = toRules(how);
    parts.push(...around.map((rule) => `${rule} {\n`));
    await write(sheet, path, [...over, path]);
    parts.push('\n}'.repeat(around.length));
  }

  async function toUrl(url: string, whole: string, importer: string): Promise<string> {
    if (url === '' || isRemote(url)) return whole;
    const path = await files.find(url, importer);
    if (path !== undefined) return `url("${await files.toDataUrl(path)}")`;
    onMissing(url, importer);
    return whole;
  }
}

/** `@import 'a.css' layer(b) supports(c) d` is a sheet within these rules. */
function toRules(how: string): readonly string[] {
  const [, layer, , name = '', afterLayer = ''] =
    /^(layer\b(\(\s*([^()]*)\))?)?\s*([^]*)$/iu.exec(how) ?? [];
  const [, condition, media = ''] =
    /^(?:supports(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)))?\s*([^]*)$/iu.exec(afterLayer) ?? [];
  return [
    ...(media === '' ? [] : [`@media ${media}`]),
    ...(condition === undefined ? [] : [`@supports ${condition}`]),
    ...(layer === undefined ? [] : [`@layer ${name}`]),
  ];
}
