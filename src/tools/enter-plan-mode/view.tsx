// The view of EnterPlanMode: that planning begins.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { enterPlanModeInputSchema, enterPlanModeOutputSchema } from './schema.ts';
import type { EnterPlanModeInput, EnterPlanModeOutput } from './schema.ts';

export const view = defineView(
  { input: enterPlanModeInputSchema, output: enterPlanModeOutputSchema },
  EnterPlanModeView,
);

interface EnterPlanModeViewProps {
  readonly call: ParsedCall<EnterPlanModeInput, EnterPlanModeOutput>;
}

function EnterPlanModeView({ call }: EnterPlanModeViewProps) {
  const { state, output } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Beginning to plan', output ? 'Plans' : 'Plan first')}
    >
      <p className="rp-note">
        The agent looks around and writes a plan. Nothing else is changed before you accept it.
      </p>
    </CallFrame>
  );
}
