// The view of SuggestPr: the proposal, its body and diff, and its place.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { ExternalLink } from '../../react/kit/external-link.tsx';
import { suggestPrInputSchema, suggestPrOutputSchema } from './schema.ts';
import type { SuggestPrInput, SuggestPrOutput } from './schema.ts';

export const view = defineView(
  { input: suggestPrInputSchema, output: suggestPrOutputSchema },
  SuggestPrView,
);

function SuggestPrView({ call }: { readonly call: ParsedCall<SuggestPrInput, SuggestPrOutput> }) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Proposing', output?.status === 'made' ? 'Made' : 'Propose')}
      detail={
        <>
          {input.title} (<code>{input.branch}</code>
          {input.base !== undefined && (
            <>
              {' '}
              into <code>{input.base}</code>
            </>
          )}
          )
        </>
      }
    >
      {output?.url !== undefined && (
        <p className="rp-note">
          <ExternalLink address={output.url} label={`${input.repository}#${output.number}`} />
        </p>
      )}
      {output?.status === 'noted' && (
        <p className="rp-note">The host has it and decides about it.</p>
      )}
      {input.body !== undefined && input.body !== '' && (
        <CodeBlock text={input.body} label="Body" language="markdown" />
      )}
      {output?.diff !== undefined && <CodeBlock text={output.diff} label="Diff" language="diff" />}
    </CallFrame>
  );
}
