// Renders the Markdown that models write, without anything that could run or load. Blocks are
// memoised by their text, so a streaming reply renders only its last block again.
import { memo, useMemo } from 'react';
import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';
import { InlineMarkdown } from './inline-markdown.tsx';
import { parseBlock, splitBlocks } from './markdown-blocks.ts';
import type { MarkdownBlock } from './markdown-blocks.ts';

/** Deeper nested lists and quotes stay text: nobody reads them, and depth uses the stack. */
const maxDepth = 6;

export interface MarkdownProps {
  readonly text: string;
  readonly depth?: number;
}

/**
 * Renders the Markdown of a reply. An image becomes a link. Syntax that isn't supported, such as HTML, stays text.
 *
 * Security: everything becomes React elements and text nodes. No HTML is parsed, nothing remote is
 * loaded, and links are `ExternalLink`s.
 */
export const Markdown = memo(function Markdown({ text, depth = 0 }: MarkdownProps) {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  return (
    <div className="rp-markdown">
      {blocks.map((source, index) => (
        <Block key={index} source={source} depth={depth} />
      ))}
    </div>
  );
});

interface BlockProps {
  readonly source: string;
  readonly depth: number;
}

const headings = ['h3', 'h4', 'h5'] as const;

const Block = memo(function Block({ source, depth }: BlockProps): ReactNode {
  const block = parseBlock(source);
  switch (block.kind) {
    case 'code':
      return (
        <div className="rp-copied">
          <CodeBlock text={block.text} language={block.language} />
          <CopyButton text={block.text} label="Copy the code" />
        </div>
      );
    case 'heading': {
      // The headings of a reply are below the page's own. People can't distinguish more than three levels.
      const Heading = headings[Math.min(block.level, headings.length) - 1] ?? 'h5';
      return (
        <Heading>
          <InlineMarkdown text={block.text} />
        </Heading>
      );
    }
    case 'quote':
      return (
        <blockquote>
          {depth < maxDepth ? (
            <Markdown text={block.text} depth={depth + 1} />
          ) : (
            <InlineMarkdown text={block.text} />
          )}
        </blockquote>
      );
    case 'bullets':
      // The markers are on the side where the text begins.
      return <ul dir="auto">{toItems(block.items, depth)}</ul>;
    case 'numbers':
      return (
        <ol dir="auto" start={block.start}>
          {toItems(block.items, depth)}
        </ol>
      );
    case 'table':
      return <Table table={block} />;
    case 'rule':
      return <hr />;
    case 'paragraph':
      return (
        <p>
          <InlineMarkdown text={block.text} />
        </p>
      );
  }
});

function Table({ table }: { readonly table: Extract<MarkdownBlock, { kind: 'table' }> }) {
  const { head, align, rows } = table;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it
    <div className="rp-table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" data-align={align[column]}>
                <InlineMarkdown text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column} data-align={align[column]}>
                  <InlineMarkdown text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const task = /^\[([ xX])\](?:\s+|$)/;

function toItems(items: readonly string[], depth: number): ReactNode {
  return items.map((source, index) => {
    const box = task.exec(source);
    const text = box ? source.slice(box[0].length) : source;
    const isDone = box?.[1] !== ' ';
    return (
      <li key={index} className={box ? 'rp-task' : undefined}>
        {box && (
          <input type="checkbox" checked={isDone} disabled aria-label={isDone ? 'Done' : 'To do'} />
        )}
        {text.includes('\n') && depth < maxDepth ? (
          <Markdown text={text} depth={depth + 1} />
        ) : (
          <InlineMarkdown text={text} />
        )}
      </li>
    );
  });
}
