// The found lines, by file. Every line is a button, so that keyboards and screen readers reach it.
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

// No column shows more of a line, and the line of a minified file may be a megabyte long.
const maxChars = 200;

function clip(text: string): string {
  const line = text.trimStart();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
