// Shows text as it is: monospaced, optionally numbered and coloured, never interpreted.
import { memo, useMemo } from 'react';
import { clipText } from '../../core/text/clip-text.ts';
import { diffLineKind, highlightLines, languageOf } from './highlight.ts';
import type { Token } from './highlight.ts';
import { LongList } from './long-list.tsx';
import { revealControls } from './reveal-controls.ts';

/** Text as it is, never as markup; it is coloured where a language is known. */
export interface CodeBlockProps {
  readonly text: string;
  readonly label?: string;
  /** The number of the first line. Given, the lines are numbered. */
  readonly startLine?: number;
  /** Wraps long lines instead of scrolling, for prose such as error texts. */
  readonly wraps?: boolean;
  /** A file name or a fence's language, for colours. */
  readonly language?: string;
  readonly tone?: 'plain' | 'error';
}

const lineText = { length: (line: string) => line.length, cut: clipText };

/**
 * A block of text in a box that scrolls, with a limit on how much is rendered at first.
 * A line break at its very end makes no further line.
 */
export const CodeBlock = memo(function CodeBlock(props: CodeBlockProps) {
  const { text, label, startLine, wraps, language = '', tone = 'plain' } = props;
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  return (
    <figure className={wraps ? 'rp-code rp-code-wraps' : 'rp-code'} data-tone={tone}>
      {label && <figcaption>{label}</figcaption>}
      <LongList items={lines} step={400} noun="lines" text={lineText}>
        {(shown) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it
          <pre tabIndex={0}>
            <code>
              <Lines lines={shown} startLine={startLine} language={languageOf(language)} />
            </code>
          </pre>
        )}
      </LongList>
    </figure>
  );
});

interface LinesProps {
  readonly lines: readonly string[];
  readonly startLine: number | undefined;
  readonly language: string;
}

function Lines({ lines, startLine, language }: LinesProps) {
  const highlighted = useMemo(() => highlightLines(lines, language), [lines, language]);
  return highlighted.map((tokens, index) => (
    // The place of a line is its only identity.
    <span className={lineClass(lines[index] ?? '', language)} key={index}>
      {startLine !== undefined && (
        <span className="rp-line-number" aria-hidden="true">
          {startLine + index}
        </span>
      )}
      <span className="rp-line-text">
        <Tokens tokens={tokens} />
        {'\n'}
      </span>
    </span>
  ));
}

/** Gives the lines of a diff the classes of the kit's own diffs. */
function lineClass(line: string, language: string): string {
  const kind = language === 'diff' ? diffLineKind(line) : 'same';
  return kind === 'added' || kind === 'removed' ? `rp-line rp-diff-${kind}` : 'rp-line';
}

/** The tokens of one line, as {@link highlightLines} gives them. */
export function Tokens({ tokens }: { readonly tokens: readonly Token[] }) {
  return tokens.map((token, index) =>
    token.kind === 'plain' ? (
      revealControls(token.text)
    ) : (
      <span key={index} className={`rp-token-${token.kind}`}>
        {revealControls(token.text)}
      </span>
    ),
  );
}
