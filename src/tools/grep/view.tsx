// The view of Grep: the pattern, the counts, and the lines found, each a link to its place. It
// parses the lines from ripgrep's text form.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileList, Matches } from '../../react/kit/matches.tsx';
import type { MatchLine } from '../../react/kit/matches.tsx';
import { grepInputSchema, grepOutputSchema } from './schema.ts';
import type { GrepInput, GrepOutput } from './schema.ts';

export const view = defineView({ input: grepInputSchema, output: grepOutputSchema }, GrepView);

function GrepView({ call }: { readonly call: ParsedCall<GrepInput, GrepOutput> }) {
  const { input, output } = call;
  const place = [input.path, input.glob, input.type].filter(Boolean).join(', ');
  return (
    <CallFrame
      call={call}
      title={wordFor(call.state, 'Searching', 'Search')}
      detail={
        input.pattern && (
          <>
            <code>{input.pattern}</code>
            {place && ` in ${place}`}
          </>
        )
      }
      meta={output && describeCount(output)}
    >
      {output && output.numFiles + (output.numLines ?? 0) > 0 && (
        <Found output={output} input={input} />
      )}
    </CallFrame>
  );
}

function Found(props: { readonly output: GrepOutput; readonly input: Partial<GrepInput> }) {
  const { output, input } = props;
  if (output.mode === 'files_with_matches') return <FileList paths={output.filenames} />;
  if (output.mode === 'count') return <CodeBlock text={output.content ?? ''} />;
  return <Matches lines={toMatchLines(output, input['-n'] !== false)} literal={toLiteral(input)} />;
}

function describeCount(output: GrepOutput): string {
  const { mode, numFiles } = output;
  const files = numFiles === 1 ? '1 file' : `${numFiles} files`;
  if (mode === 'count') return `${output.numMatches ?? 0} matches in ${files}`;
  if (mode === 'content') {
    const lines = output.numLines ?? 0;
    const more = output.appliedLimit === undefined ? '' : ', cut off';
    return lines === 0 ? 'nothing' : `${lines} ${lines === 1 ? 'line' : 'lines'}${more}`;
  }
  return numFiles === 0 ? 'nothing' : files;
}

/**
 * `path:12:text` is a match, `path-12-text` a line of context, `--` a gap. A path may hold `:` and `-` itself, so the
 * known file names decide where it ends. Without line numbers, `12:` belongs to the text.
 */
export function toMatchLines(
  { content = '', filenames, marks }: Pick<GrepOutput, 'content' | 'filenames' | 'marks'>,
  isNumbered = true,
): MatchLine[] {
  // The longest names come first: `a` must not take the lines of `a-1-b`.
  const byLength = [...filenames].sort((a, b) => b.length - a.length);
  return content.split('\n').flatMap((line, at): MatchLine[] => {
    if (line === '' || line === '--') return [];
    const path = byLength.find(
      (name) => line.startsWith(`${name}:`) || line.startsWith(`${name}-`),
    );
    if (path === undefined) return [{ path: '', line: null, text: line, isMatch: true }];
    const rest = line.slice(path.length);
    const numbered = isNumbered ? /^([:-])(\d+)\1/.exec(rest) : null;
    const text = rest.slice(numbered?.[0].length ?? 1);
    const number = numbered ? Number(numbered[2]) : null;
    const places = marks?.[at];
    return [
      { path, line: number, text, isMatch: rest.startsWith(':'), ...(places && { marks: places }) },
    ];
  });
}

/**
 * The text to mark in answers without marks: the pattern, if it has no operators. No other pattern
 * is ever run here.
 */
function toLiteral(input: Partial<GrepInput>): string {
  const pattern = input.pattern ?? '';
  return input['-i'] || /[\\^$.*+?()[\]{}|]/.test(pattern) ? '' : pattern;
}
