// The view of Glob: the pattern, how many files it found, and their names as links.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileList } from '../../react/kit/matches.tsx';
import { globInputSchema, globOutputSchema } from './schema.ts';
import type { GlobInput, GlobOutput } from './schema.ts';

export const view = defineView({ input: globInputSchema, output: globOutputSchema }, GlobView);

function GlobView({ call }: { readonly call: ParsedCall<GlobInput, GlobOutput> }) {
  const { input, output } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(call.state, 'Finding', 'Find')}
      detail={
        input.pattern && (
          <>
            <code>{input.pattern}</code>
            {input.path && ` in ${input.path}`}
          </>
        )
      }
      meta={output && describeCount(output)}
    >
      {output && output.filenames.length > 0 && <FileList paths={output.filenames} />}
    </CallFrame>
  );
}

function describeCount(output: GlobOutput): string {
  if (output.numFiles === 0) return 'no files';
  if (!output.truncated) return output.numFiles === 1 ? '1 file' : `${output.numFiles} files`;
  const total = `${output.countIsComplete ? '' : 'more than '}${output.totalMatches}`;
  return `${output.numFiles} of ${total} files`;
}
