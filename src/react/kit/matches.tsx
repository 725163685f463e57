// Lines that were found in files, grouped by file. Each line opens its place.
import { memo } from 'react';
import type { ReactNode } from 'react';
import { clipText } from '../../core/text/clip-text.ts';
import { FileLink } from './file-link.tsx';
import { LongList } from './long-list.tsx';
import { revealControls } from './reveal-controls.ts';

/** One line that a search found, or a line beside it. */
export interface MatchLine {
  readonly path: string;
  /** Null if the search was asked for no line numbers. */
  readonly line: number | null;
  readonly text: string;
  /** False for a line of context. */
  readonly isMatch: boolean;
  /** The places of the matches in the text: each one's start and end, in their order. */
  readonly marks?: readonly number[];
}

/** The lines that a search gave, in its order. */
export interface MatchesProps {
  readonly lines: readonly MatchLine[];
  /**
   * A literal text that is marked in lines without `marks`. It is never used as a regular expression. Security: a
   * pattern that backtracks for ever would freeze the page that shows it.
   */
  readonly literal?: string;
}

const matchText = {
  length: ({ text }: MatchLine) => text.length,
  cut(line: MatchLine, length: number): MatchLine {
    const text = clipText(line.text, length);
    // Marks are pairs: an end stays if its start does.
    const marks = line.marks?.filter(
      (_, index, all) => (all[index - (index % 2)] ?? 0) < text.length,
    );
    return { ...line, text, ...(marks && { marks }) };
  },
};

/** Shows neighbouring lines of one file below its name once, in the order in which they came. */
export const Matches = memo(function Matches({ lines, literal = '' }: MatchesProps) {
  return (
    <LongList items={lines} step={200} noun="lines" text={matchText}>
      {(shown) => (
        <ul className="rp-matches">
          {groupByPath(shown).map((group) => (
            <li key={group.path}>
              <FileLink path={group.path} />
              <ul>
                {group.lines.map((line, index) => (
                  <li key={index} className={line.isMatch ? 'rp-match' : 'rp-match-context'}>
                    {line.line !== null && (
                      <FileLink path={line.path} line={line.line} label={String(line.line)} />
                    )}
                    <code>
                      {line.marks ? (
                        <MarkedPlaces text={line.text} marks={line.marks} />
                      ) : (
                        <Marked text={line.text} literal={literal} />
                      )}
                    </code>
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
});

function groupByPath(lines: readonly MatchLine[]): { path: string; lines: MatchLine[] }[] {
  const groups: { path: string; lines: MatchLine[] }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.path === line.path) last.lines.push(line);
    else groups.push({ path: line.path, lines: [line] });
  }
  return groups;
}

function MarkedPlaces({
  text,
  marks,
}: {
  readonly text: string;
  readonly marks: readonly number[];
}) {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (let index = 0; index + 1 < marks.length; index += 2) {
    const [start = 0, end = 0] = marks.slice(index, index + 2);
    pieces.push(
      revealControls(text.slice(at, start)),
      <mark key={index}>{revealControls(text.slice(start, end))}</mark>,
    );
    at = end;
  }
  return [...pieces, revealControls(text.slice(at))];
}

/** Splitting by the text itself is linear, whatever the text is. */
function Marked({ text, literal }: { readonly text: string; readonly literal: string }) {
  if (literal === '') return revealControls(text);
  return text.split(literal).map((part, index) => (
    <span key={index}>
      {index > 0 && <mark>{revealControls(literal)}</mark>}
      {revealControls(part)}
    </span>
  ));
}

/** A plain list of files, each a link. */
export function FileList({ paths }: { readonly paths: readonly string[] }) {
  return (
    <LongList items={paths} step={100} noun="files">
      {(shown) => (
        <ul className="rp-files">
          {shown.map((path) => (
            <li key={path}>
              <FileLink path={path} />
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}
