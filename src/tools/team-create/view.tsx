// The view of TeamCreate: the team's name, and its work.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { teamCreateInputSchema, teamCreateOutputSchema } from './schema.ts';
import type { TeamCreateInput, TeamCreateOutput } from './schema.ts';

export const view = defineView(
  { input: teamCreateInputSchema, output: teamCreateOutputSchema },
  TeamCreateView,
);

function TeamCreateView({
  call,
}: {
  readonly call: ParsedCall<TeamCreateInput, TeamCreateOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Making team', output ? 'Made team' : 'Make team')}
      detail={<code>{input.team_name}</code>}
    >
      {input.description !== undefined && <p className="rp-note">{input.description}</p>}
    </CallFrame>
  );
}
