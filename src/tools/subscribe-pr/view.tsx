// The view of SubscribePr: the pull request, and its present state.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { subscribePrInputSchema, subscribePrOutputSchema } from './schema.ts';
import type { SubscribePrInput, SubscribePrOutput } from './schema.ts';

export const view = defineView(
  { input: subscribePrInputSchema, output: subscribePrOutputSchema },
  SubscribePrView,
);

function SubscribePrView({
  call,
}: {
  readonly call: ParsedCall<SubscribePrInput, SubscribePrOutput>;
}) {
  const { input, output, state } = call;
  const verbs = input.unsubscribe
    ? (['Leaving', output ? 'Left' : 'Leave'] as const)
    : (['Watching', output ? 'Watches' : 'Watch'] as const);
  return (
    <CallFrame
      call={call}
      title={wordFor(state, verbs[0], verbs[1])}
      detail={
        <code>
          {input.repository}
          {input.number !== undefined && `#${input.number}`}
        </code>
      }
    >
      {output?.title !== undefined && (
        <p className="rp-note">
          {output.title} ({output.state}; {output.comments ?? 0} comments, {output.reviews ?? 0}{' '}
          reviews, {output.checks ?? 0} checks done)
        </p>
      )}
    </CallFrame>
  );
}
