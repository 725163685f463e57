// The view of EnterWorktree: where the agent works now.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { enterWorktreeInputSchema, enterWorktreeOutputSchema } from './schema.ts';
import type { EnterWorktreeInput, EnterWorktreeOutput } from './schema.ts';

export const view = defineView(
  { input: enterWorktreeInputSchema, output: enterWorktreeOutputSchema },
  EnterWorktreeView,
);

interface EnterWorktreeViewProps {
  readonly call: ParsedCall<EnterWorktreeInput, EnterWorktreeOutput>;
}

function EnterWorktreeView({ call }: EnterWorktreeViewProps) {
  const { state, input, output } = call;
  const subject = output?.worktreePath ?? input.path ?? input.name;
  const word = wordFor(state, 'Entering a work tree', output ? 'Works in' : 'Work tree');
  return (
    <CallFrame
      call={call}
      title={word}
      {...(subject !== undefined && { detail: <code>{subject}</code> })}
    >
      <p className="rp-note">
        {output?.worktreeBranch === undefined
          ? 'The files of the repository stay as they are.'
          : `On branch ${output.worktreeBranch}. The files of the repository stay as they are.`}
      </p>
    </CallFrame>
  );
}
