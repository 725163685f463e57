// A path that opens its file in the host's editor. Where no host listens it is plain text.
import { createContext, use } from 'react';
import { isInside, relativePath } from '../../core/path.ts';

/** How the host opens a file that is named anywhere in a session. */
export interface OpenFile {
  /** The working directory: paths below it are shown without it. */
  readonly cwd: string;
  readonly open: (path: string, line?: number) => void;
  /** Is there a file of that absolute path? Given, paths in a reply's inline code are links, too. */
  readonly hasFile?: (path: string) => boolean;
}

/** Provided by the host around everything that may show a path; null: nothing can be opened. */
export const OpenFileContext = createContext<OpenFile | null>(null);

/** A path, and where in the file a click leads. */
export interface FileLinkProps {
  readonly path: string;
  readonly line?: number;
  /** What is shown in place of the path. */
  readonly label?: string;
  /** What follows the path. Left out: the line. */
  readonly suffix?: string;
}

/**
 * A path as a button that opens it. A button, not an anchor: there is no address that another tab
 * could load.
 */
export function FileLink({ path, line, label, suffix }: FileLinkProps) {
  const host = use(OpenFileContext);
  const end = suffix ?? (line === undefined ? '' : `:${line}`);
  const shown = label ?? shorten(path, host?.cwd) + end;
  if (!host) return <span className="rp-path">{shown}</span>;
  return (
    <button
      type="button"
      className="rp-file-link"
      title={`Open ${path}`}
      // A line's number alone says little where it is read out of its place.
      aria-label={label !== undefined && label === String(line) ? `${path}:${line}` : undefined}
      onClick={() => host.open(path, line)}
    >
      {shown}
    </button>
  );
}

function shorten(path: string, cwd: string | undefined): string {
  return cwd !== undefined && path !== cwd && path.startsWith('/') && isInside(cwd, path)
    ? relativePath(cwd, path)
    : path;
}
