// A path that opens its file in the host's editor. Without a host that listens it is plain text.
import { createContext, use } from 'react';
import { isInside, relativePath } from '../../core/path.ts';
import { revealControls } from './reveal-controls.ts';

/** How the host opens a file that is named anywhere in a session. */
export interface OpenFile {
  /** The working directory: paths below it are shown without it. */
  readonly cwd: string;
  readonly open: (path: string, line?: number) => void;
  /**
   * True if there is a file of that absolute path. Given, paths in a reply's inline code are links,
   * too.
   */
  readonly hasFile?: (path: string) => boolean;
}

/** Provided by the host around everything that may show a path. Null: nothing can be opened. */
export const OpenFileContext = createContext<OpenFile | null>(null);

/** A path, and the line that a click leads to. */
export interface FileLinkProps {
  readonly path: string;
  readonly line?: number;
  /** Shown in place of the path. */
  readonly label?: string;
  /** Shown behind the path. Left out: the line. */
  readonly suffix?: string;
}

/**
 * A path as a button that opens it. A button, not an anchor: there is no address that another tab
 * could load.
 */
export function FileLink({ path, line, label, suffix }: FileLinkProps) {
  const host = use(OpenFileContext);
  const end = suffix ?? (line === undefined ? '' : `:${line}`);
  const shown = revealControls(label ?? shorten(path, host?.cwd) + end);
  const nameAt = label === undefined ? shown.lastIndexOf('/') + 1 : 0;
  if (!host) return <span className="rp-path">{shown}</span>;
  return (
    <button
      type="button"
      className="rp-file-link"
      title={`Open ${revealControls(path)}`}
      // A line's number alone says little when it is read aloud out of its place. Two parts would
      // be read as two words.
      aria-label={nameOf(path, line, label) ?? (nameAt > 0 ? shown : undefined)}
      onClick={() => host.open(path, line)}
    >
      {nameAt === 0 ? (
        shown
      ) : (
        <>
          {/* Without room, the folders are cut, and not the file's name, which tells one file from the next. */}
          <span className="rp-path-folder">{shown.slice(0, nameAt)}</span>
          <span className="rp-path-name">{shown.slice(nameAt)}</span>
        </>
      )}
    </button>
  );
}

/** The accessible name of the button. Undefined: the shown text says enough. */
function nameOf(path: string, line?: number, label?: string): string | undefined {
  return label !== undefined && label === String(line) ? `${path}:${line}` : undefined;
}

function shorten(path: string, cwd: string | undefined): string {
  return cwd !== undefined && path !== cwd && path.startsWith('/') && isInside(cwd, path)
    ? relativePath(cwd, path)
    : path;
}
