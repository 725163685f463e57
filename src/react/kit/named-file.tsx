// Files that a reply names, in inline code or as a link's target: they open in the host's editor.
import { use } from 'react';
import { resolvePath } from '../../core/path.ts';
import { ExternalLink, type ExternalLinkProps } from './external-link.tsx';
import { FileLink, OpenFileContext } from './file-link.tsx';

/** A place in a file. */
interface Place {
  readonly path: string;
  readonly line?: number;
}

/**
 * Inline code. If it is the path of a file, with or without a line behind it, it opens that file.
 */
export function InlineCode({ text }: { readonly text: string }) {
  const host = use(OpenFileContext);
  const place = host?.hasFile && toPlace(host.cwd, text);
  if (!place || !host.hasFile?.(place.path)) return <code>{text}</code>;
  return (
    <code>
      <FileLink {...place} label={text} />
    </code>
  );
}

/**
 * A link. If its address is a path, it opens that file. Otherwise it is an {@link ExternalLink}.
 */
export function Link({ address, label }: ExternalLinkProps) {
  const host = use(OpenFileContext);
  const place = host && isPath(address) && toPlace(host.cwd, decode(address));
  if (!place) return <ExternalLink address={address} label={label} />;
  return <FileLink {...place} label={label} />;
}

/** `:12`, `:12:3`, `:12-15` and `#L12` behind a path say the line. */
const lineEnd = /(?::(\d{1,7})(?:[:-]\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)$/;

function toPlace(cwd: string, text: string): Place | null {
  const end = lineEnd.exec(text);
  const name = end ? text.slice(0, end.index) : text;
  // A directory can't be opened.
  if (name === '' || /[/\\]\.{0,2}$|^\.{1,2}$/.test(name)) return null;
  const path = resolvePath(cwd, name);
  const line = end?.[1] ?? end?.[2];
  return line === undefined ? { path } : { path, line: Number(line) };
}

/** True if the address has neither a scheme nor a host, and is no place within this page. */
function isPath(address: string): boolean {
  const bare = address.replace(lineEnd, '');
  return !/^[a-z][a-z\d+.-]*:|^[#?]|^\/\//i.test(bare) && bare !== '';
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    // The percent sign stands for itself.
    return address;
  }
}
