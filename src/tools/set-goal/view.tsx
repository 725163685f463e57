// The view of SetGoal: the goal that the agent works for.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { setGoalInputSchema, setGoalOutputSchema } from './schema.ts';
import type { SetGoalInput, SetGoalOutput } from './schema.ts';

export const view = defineView(
  { input: setGoalInputSchema, output: setGoalOutputSchema },
  GoalView,
);

function GoalView({ call }: { readonly call: ParsedCall<SetGoalInput, SetGoalOutput> }) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Setting a goal', output ? 'Goal' : 'Set a goal')}
      detail={input.condition}
    >
      <p className="rp-note">
        The agent works until this holds. Another model checks it whenever the agent comes to rest.
      </p>
    </CallFrame>
  );
}
