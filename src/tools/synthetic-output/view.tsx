// The view of SyntheticOutput: the answer, field by field.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { DataFields } from '../../react/kit/data-fields.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { syntheticOutputInputSchema, syntheticOutputOutputSchema } from './schema.ts';
import type { SyntheticOutputInput, SyntheticOutputOutput } from './schema.ts';

const schemas = { input: syntheticOutputInputSchema, output: syntheticOutputOutputSchema };

export const view = defineView(schemas, SyntheticOutputView);

function SyntheticOutputView({
  call,
}: {
  readonly call: ParsedCall<SyntheticOutputInput, SyntheticOutputOutput>;
}) {
  return (
    <CallFrame call={call} title={wordFor(call.state, 'Answering', 'Answer')}>
      <DataFields value={call.output ?? call.input} label="Answer" />
    </CallFrame>
  );
}
