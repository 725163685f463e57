// The view of TeamDelete: the team, and what was left of its work.
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
  const left = [
    ...(output?.running ?? []),
    ...(output?.undone ?? []).map(({ subject }) => subject),
  ];
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Deleting team', 'Deleted team')}
      detail={output && <code>{output.team_name}</code>}
    >
      {left.length > 0 && (
        <ul className="rp-note">
          {left.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </CallFrame>
  );
}
