// Inline Markdown: code, bold, emphasis, strike-through and links. One pass with one pattern; only
// bold, emphasis and strike-through nest.
import { ExternalLink } from './external-link.tsx';
import type { ReactNode } from 'react';

/** Alternatives begin with different characters and none contains another's repetition: linear. */
const marks =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|~~([^~\n]+)~~|\[([^[\]\n]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()"'`*]+[\w/#])/g;

/** One line or paragraph; its line breaks are the style sheet's to show. */
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

/** The element of a match: exactly one of its groups took part. */
function toElement(match: RegExpExecArray, key: number): ReactNode {
  const [whole, code, bold, emphasis, struck, label, target, address] = match;
  if (code !== undefined) return <code key={key}>{code}</code>;
  if (bold !== undefined) {
    return (
      <strong key={key}>
        <InlineMarkdown text={bold} />
      </strong>
    );
  }
  if (emphasis !== undefined) {
    return (
      <em key={key}>
        <InlineMarkdown text={emphasis} />
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
    return <ExternalLink key={key} address={target} label={label} />;
  }
  return <ExternalLink key={key} address={address ?? whole} label={address ?? whole} />;
}
