// The view of ExitWorktree: the outcome of the work tree, and the lost changes.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { exitWorktreeInputSchema, exitWorktreeOutputSchema } from './schema.ts';
import type { ExitWorktreeInput, ExitWorktreeOutput } from './schema.ts';

export const view = defineView(
  { input: exitWorktreeInputSchema, output: exitWorktreeOutputSchema },
  ExitWorktreeView,
);

interface ExitWorktreeViewProps {
  readonly call: ParsedCall<ExitWorktreeInput, ExitWorktreeOutput>;
}

function ExitWorktreeView({ call }: ExitWorktreeViewProps) {
  const { state, input, output } = call;
  const isRemoval = (output?.action ?? input.action) === 'remove';
  const title = isRemoval
    ? wordFor(state, 'Removing the work tree', output ? 'Removed work tree' : 'Remove work tree')
    : wordFor(state, 'Leaving the work tree', output ? 'Left work tree' : 'Leave work tree');
  const { worktreePath, discardedFiles = 0, discardedCommits = 0 } = output ?? {};
  const lost = [count(discardedFiles, 'file'), count(discardedCommits, 'commit')]
    .filter((text) => text !== '')
    .join(', ');
  return (
    <CallFrame
      call={call}
      title={title}
      {...(worktreePath !== undefined && { detail: <code>{worktreePath}</code> })}
      {...(lost !== '' && { meta: `${lost} lost` })}
    >
      <p className="rp-note">{output?.message ?? describe(isRemoval, input.discard_changes)}</p>
    </CallFrame>
  );
}

/** Empty for the number 0. */
function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function describe(isRemoval: boolean, discards: boolean | undefined): string {
  if (!isRemoval) return 'The work tree and its branch stay.';
  return discards
    ? 'The work tree goes with its branch, and so does what is in it and nowhere else.'
    : 'The work tree goes with its branch, if nothing is lost by it.';
}
