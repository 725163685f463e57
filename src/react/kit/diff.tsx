// A unified diff of one file, from the hunks that Edit, Write and a cell's changes report. Added and
// removed lines differ by sign and by a word for screen readers, not by colour alone.
import { memo, useMemo } from 'react';
import type { PatchHunk } from '../../core/change-set.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { Tokens } from './code-block.tsx';
import { highlightLines, languageOf } from './highlight.ts';
import type { Token } from './highlight.ts';
import { LongList } from './long-list.tsx';

/** The hunks that a tool gives. No texts are compared here. */
export interface DiffProps {
  readonly hunks: readonly PatchHunk[];
  /** The file's name, for colours and for the table's label. */
  readonly path: string;
}

interface Row {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly tokens: readonly Token[];
}

const rowText = {
  length: ({ tokens }: Row) => tokens.reduce((sum, { text }) => sum + text.length, 0),
  cut(row: Row, length: number): Row {
    const tokens: Token[] = [];
    let room = length;
    for (const token of row.tokens) {
      if (room <= 0) break;
      tokens.push({ ...token, text: clipText(token.text, room) });
      room -= token.text.length;
    }
    return { ...row, tokens };
  },
};

const signs = { same: ' ', added: '+', removed: '−', gap: ' ' } as const;

/**
 * A table of hunks with both line numbers. Numbers and signs can't be selected, so that copying
 * gives code.
 */
export const Diff = memo(function Diff({ hunks, path }: DiffProps) {
  const rows = useMemo(() => toRows(hunks, languageOf(path)), [hunks, path]);
  if (rows.length === 0) return <p className="rp-note">No text to compare.</p>;
  return (
    <LongList items={rows} step={400} noun="lines" text={rowText}>
      {(shown) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it
        <div className="rp-diff" tabIndex={0} role="group" aria-label={`Changes to ${path}`}>
          <table>
            <tbody>
              {shown.map((row, index) => (
                <DiffRow key={index} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </LongList>
  );
});

function DiffRow({ row }: { readonly row: Row }) {
  if (row.kind === 'gap') {
    return (
      <tr className="rp-diff-gap">
        <td colSpan={4} aria-label="Unchanged lines left out">
          ⋯
        </td>
      </tr>
    );
  }
  return (
    <tr className={`rp-diff-${row.kind}`}>
      <td className="rp-line-number">{row.oldLine}</td>
      <td className="rp-line-number">{row.newLine}</td>
      <td className="rp-diff-sign">
        <span aria-hidden="true">{signs[row.kind]}</span>
        {row.kind !== 'same' && <span className="rp-hidden">{row.kind}</span>}
      </td>
      <td className="rp-diff-text">
        <Tokens tokens={row.tokens} />
      </td>
    </tr>
  );
}

/** Hunks as rows, with a gap where lines were left out between two hunks. */
function toRows(hunks: readonly PatchHunk[], language: string): Row[] {
  return hunks.flatMap((hunk, index): Row[] => {
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    // A line such as "\ No newline at end of file" belongs to no side.
    const lines = hunk.lines.filter((line) => /^[ +-]/.test(line));
    const tokens = highlightLines(
      lines.map((line) => line.slice(1)),
      language,
    );
    const rows = lines.map((line, at): Row => {
      const text = tokens[at] ?? [];
      if (line.startsWith('+')) {
        return { kind: 'added', oldLine: null, newLine: newLine++, tokens: text };
      }
      if (line.startsWith('-')) {
        return { kind: 'removed', oldLine: oldLine++, newLine: null, tokens: text };
      }
      return { kind: 'same', oldLine: oldLine++, newLine: newLine++, tokens: text };
    });
    const gap: Row = { kind: 'gap', oldLine: null, newLine: null, tokens: [] };
    return index === 0 ? rows : [gap, ...rows];
  });
}

/** "+3 −1", read as words. */
export function DiffStat(props: { readonly additions: number; readonly deletions: number }) {
  const { additions, deletions } = props;
  return (
    <span className="rp-stat">
      <span className="rp-stat-added">
        <span aria-hidden="true">+</span>
        {additions}
        <span className="rp-hidden"> lines added, </span>
      </span>{' '}
      <span className="rp-stat-removed">
        <span aria-hidden="true">−</span>
        {deletions}
        <span className="rp-hidden"> lines removed</span>
      </span>
    </span>
  );
}
