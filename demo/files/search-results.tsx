// Found lines by file. Every line is a button, so that the keyboard and a screen reader have them all.
import type { FoundFile } from 'rockpool/browser';

export interface SearchResultsProps {
  readonly root: string;
  readonly files: readonly FoundFile[];
  readonly onOpen: (path: string, line: number) => void;
}

export function SearchResults({ root, files, onOpen }: SearchResultsProps) {
  return (
    <ul className="found" aria-label="Found lines">
      {files.map(({ path, lines }) => (
        <li key={path} className="found-file">
          <h3 className="found-path" title={path} aria-label={path.slice(root.length + 1)}>
            <span className="found-folder">{path.slice(root.length + 1, nameAt(path))}</span>
            <span className="found-name">{path.slice(nameAt(path))}</span>
          </h3>
          <ul>
            {lines.map(({ number, text }) => (
              <li key={number}>
                <button
                  type="button"
                  className="found-line"
                  title={clip(text)}
                  onClick={() => onOpen(path, number)}
                >
                  <span className="found-number">
                    <span className="rp-hidden">line </span>
                    {number}
                  </span>{' '}
                  <span className="found-text">{clip(text)}</span>
                </button>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

const nameAt = (path: string) => path.lastIndexOf('/') + 1;

// As much of a line as any column shows; a minified file's is a megabyte long.
const maxChars = 200;

function clip(text: string): string {
  const line = text.trimStart();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
