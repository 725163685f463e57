// The view of Snip: the parts that left the context, and the note in their place.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { snipInputSchema, snipOutputSchema } from './schema.ts';
import type { SnipInput, SnipOutput } from './schema.ts';

export const view = defineView({ input: snipInputSchema, output: snipOutputSchema }, SnipView);

function SnipView({ call }: { readonly call: ParsedCall<SnipInput, SnipOutput> }) {
  const { input, output, state } = call;
  const note = output?.operation === 'snip' ? output.note : input.note;
  const isListing = input.from === undefined && note === undefined;
  const title = isListing
    ? wordFor(state, 'Looking for parts', 'Parts of the conversation')
    : wordFor(state, 'Taking out', output ? 'Took out' : 'Take out');
  return (
    <CallFrame
      call={call}
      title={title}
      detail={!isListing && `parts ${input.from ?? '…'} to ${input.to ?? '…'}`}
      meta={output?.operation === 'snip' ? `about ${output.freedTokens} tokens` : undefined}
    >
      {note !== undefined && <p className="rp-note">In its place: {note}</p>}
      {output && (
        <ul className="rp-files">
          {output.parts.map(({ id, text, tokens }) => (
            <li key={id}>
              {id}: {text} ({tokens} tokens)
            </li>
          ))}
        </ul>
      )}
      {output?.operation === 'list' && output.smaller > 0 && (
        <p className="rp-note">and {output.smaller} smaller ones</p>
      )}
    </CallFrame>
  );
}
