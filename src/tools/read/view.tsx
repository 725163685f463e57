// The view of Read: "Reading src/app.ts (lines 1-50)", and the text read, folded away.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { readInputSchema, readOutputSchema } from './schema.ts';
import type { ReadInput, ReadOutput } from './schema.ts';

type Call = ParsedCall<ReadInput, ReadOutput>;

export const view = defineView({ input: readInputSchema, output: readOutputSchema }, ReadView);

function ReadView({ call }: { readonly call: Call }) {
  const { input, output } = call;
  const path = input.file_path ?? '';
  return (
    <CallFrame
      call={call}
      title={wordFor(call.state, 'Reading', 'Read')}
      detail={path && <FileLink path={path} {...lineOf(input)} suffix={rangeOf(call)} />}
      meta={output && measure(output)}
    >
      {output && <Content output={output} path={path} />}
    </CallFrame>
  );
}

/** The lines that were read, if they are known. Otherwise the requested lines. */
function rangeOf({ input, output }: Call): string {
  if (output?.type === 'text') {
    const { startLine, numLines, totalLines } = output.file;
    if (numLines === 0 || numLines === totalLines) return '';
    return ` (lines ${startLine}-${startLine + numLines - 1})`;
  }
  if (input.pages !== undefined) return ` (pages ${input.pages})`;
  if (input.offset === undefined && input.limit === undefined) return '';
  const start = Math.max(input.offset ?? 1, 1);
  if (input.limit === undefined) return ` (from line ${start})`;
  return ` (lines ${start}-${start + input.limit - 1})`;
}

function lineOf(input: Partial<ReadInput>): { readonly line?: number } {
  return input.offset === undefined ? {} : { line: Math.max(input.offset, 1) };
}

function measure(output: ReadOutput): string {
  if (output.type === 'image') return `${Math.ceil(output.file.originalSize / 1024)} kB`;
  if (output.type === 'pages') {
    const { length } = output.pages;
    return `${length === 1 ? '1 page' : `${length} pages`} of ${output.file.totalPages}`;
  }
  if (output.type === 'notebook') return `${output.file.cells.length} cells`;
  const { numLines } = output.file;
  return numLines === 1 ? '1 line' : `${numLines} lines`;
}

function Content({ output, path }: { readonly output: ReadOutput; readonly path: string }) {
  switch (output.type) {
    case 'text':
      return output.file.content === '' ? (
        <p className="rp-note">The file is empty here.</p>
      ) : (
        <CodeBlock
          text={output.file.content}
          startLine={output.file.startLine}
          language={output.file.filePath}
        />
      );
    case 'image':
      // Security: an image is shown from its bytes; no address in a result is ever loaded.
      return (
        <img
          className="rp-image"
          src={`data:${output.file.type};base64,${output.file.base64}`}
          alt={path}
        />
      );
    case 'pages':
      return output.pages.map((page, index) => {
        const label = `Page ${output.firstPage + index}`;
        return page.image ? (
          <img
            key={label}
            className="rp-image"
            src={`data:${page.image.type};base64,${page.image.base64}`}
            alt={`${label} of ${path}`}
          />
        ) : (
          <CodeBlock
            key={label}
            text={page.text || (page.problem ?? '')}
            label={label}
            language=""
          />
        );
      });
    case 'notebook':
      return output.file.cells.map((cell) => (
        <div key={cell.id}>
          <CodeBlock
            text={cell.source}
            label={cell.cellType}
            language={cell.cellType === 'code' ? 'python' : ''}
          />
          {cell.outputText && <CodeBlock text={cell.outputText} label="Output" />}
        </div>
      ));
  }
}
