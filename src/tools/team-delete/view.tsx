// The view of TeamDelete: the team, and the rest of its work.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { teamDeleteInputSchema, teamDeleteOutputSchema } from './schema.ts';
import type { TeamDeleteInput, TeamDeleteOutput } from './schema.ts';

export const view = defineView(
  { input: teamDeleteInputSchema, output: teamDeleteOutputSchema },
  TeamDeleteView,
);

function TeamDeleteView({
  call,
}: {
  readonly call: ParsedCall<TeamDeleteInput, TeamDeleteOutput>;
}) {
  const { output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Deleting the team', output ? 'Deleted team' : 'Delete the team')}
      detail={output && <code>{output.team_name}</code>}
    >
      {output && output.running.length > 0 && (
        <p className="rp-note">Members that still run: {output.running.join(', ')}</p>
      )}
      {output && output.undone.length > 0 && (
        <p className="rp-note">
          Tasks left undone: {output.undone.map(({ subject }) => subject).join(', ')}
        </p>
      )}
    </CallFrame>
  );
}
