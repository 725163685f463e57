// Inline Markdown: code, bold, emphasis, strike-through, links and entities. One pass with one pattern;
// only bold, emphasis and strike-through nest.
import type { ReactNode } from 'react';
import { decodeEntities, entity } from './entities.ts';
import { ExternalLink } from './external-link.tsx';
import { InlineCode, Link } from './named-file.tsx';

/**
 * Alternatives begin with different characters, or end where another one begins. So matching is
 * linear.
 */
const marks = new RegExp(
  [
    // Characters that a backslash makes text, and the one tag that has no other way to be written
    // in a table.
    /\\([*_`~[\]<>#|!&\n])/,
    /`([^`\n]+)`/,
    /\*\*\*(?!\s)([^*\n]+)\*\*\*/,
    // Bold text may contain a single asterisk.
    /\*\*(?!\s)((?:[^*\n]|\*(?!\*))+(?:(?<!\s)\*)?)\*\*/,
    /\*([^*\s][^*\n]*)\*/,
    /(?<!\w)_([^_\s][^_\n]*)_(?!\w)/,
    /~~([^~\n]+)~~/,
    // An address may have parentheses, and a title behind it. A label may be an image.
    /(!?)\[((?:!\[[^[\]\n]*\]\([^()\s]*\)|[^[\]\n])*)\]\(((?:[^()\s]|\([^()\s]*\))+)(?:\s+"[^"\n]*")?\)/,
    /<?(https?:\/\/[^\s<>()"'`*]+[\w/#])>?/,
    /<(br) *\/?>/,
    entity,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** One line or paragraph. The style sheet shows its line breaks. */
export function InlineMarkdown({ text }: { readonly text: string }): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(marks)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(toElement(match, parts.length));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** The words alone, as they are read out: without marks, and with a link's label in its place. */
export function toSpokenText(text: string): string {
  return text.replaceAll(marks, (whole, ...groups: (string | undefined)[]) => {
    const [escaped, code, strongest, bold, emphasis, underlined, struck] = groups;
    const [, label, target, address, lineBreak, character] = groups.slice(7);
    const within = strongest ?? bold ?? emphasis ?? underlined ?? struck;
    if (within !== undefined) return toSpokenText(within);
    if (label !== undefined && target !== undefined) return toLabel(label) || 'link';
    if (character !== undefined) return decodeEntities(whole);
    return lineBreak === undefined ? (escaped ?? code ?? address ?? whole) : ' ';
  });
}

/** The element of a match. Exactly one alternative took part in it. */
function toElement(match: RegExpExecArray, key: number): ReactNode {
  const [whole, escaped, code, strongest, bold, emphasis, underlined, struck] = match;
  const [image, label, target, address, lineBreak, character] = match.slice(8);
  if (escaped !== undefined) return escaped;
  if (code !== undefined) return <InlineCode key={key} text={code} />;
  if (strongest !== undefined) {
    return (
      <strong key={key}>
        <em>
          <InlineMarkdown text={strongest} />
        </em>
      </strong>
    );
  }
  if (bold !== undefined) {
    return (
      <strong key={key}>
        <InlineMarkdown text={bold} />
      </strong>
    );
  }
  const leaning = emphasis ?? underlined;
  if (leaning !== undefined) {
    return (
      <em key={key}>
        <InlineMarkdown text={leaning} />
      </em>
    );
  }
  if (struck !== undefined) {
    return (
      <del key={key}>
        <InlineMarkdown text={struck} />
      </del>
    );
  }
  if (label !== undefined && target !== undefined) {
    // Only an image may go without words.
    if (label === '' && image === '') return whole;
    return <Target key={key} address={decodeEntities(target)} label={toLabel(label)} />;
  }
  if (character !== undefined) return decodeEntities(whole);
  if (lineBreak !== undefined) return <br key={key} />;
  return <ExternalLink key={key} address={address ?? whole} label={address ?? whole} />;
}

/**
 * A label as text. A label that is all code loses its marks, and an image is told by its own words.
 */
function toLabel(label: string): string {
  const words = label.replace(/^`([^`]+)`$/, '$1').replaceAll(/!\[([^[\]]*)\]\([^()]*\)/g, '$1');
  return decodeEntities(words).trim();
}

/** A person doesn't read a longer address, such as one with an image's own bytes. */
const longestShown = 200;

function Target({ address, label }: { readonly address: string; readonly label: string }) {
  if (address.length > longestShown && address.startsWith('data:')) return label || 'Image';
  return <Link address={address} label={label || address} />;
}
