// The header's button for git: the branch, the number of changed files, and the distance to the server's branch. It
// opens the panel.
import type { GitWatch } from './git-watch.ts';
import { useGitState } from './use-git.ts';

export interface BranchButtonProps {
  readonly watch: GitWatch;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function BranchButton({ watch, isOpen, onToggle }: BranchButtonProps) {
  const state = useGitState(watch);
  return (
    <button
      type="button"
      className="branch-button"
      aria-expanded={isOpen}
      title="Changes, history and branches"
      onClick={onToggle}
    >
      {state.kind === 'ready' ? <Facts {...state} /> : 'Git'}
    </button>
  );
}

function Facts({ status, distance }: ReturnType<GitWatch['getSnapshot']> & { kind: 'ready' }) {
  const changed = status.files.length;
  return (
    <>
      <span className="branch-name">
        <span className="rp-hidden">Git, </span>
        {status.branch ?? status.head?.slice(0, 7) ?? 'no branch'}
      </span>
      {changed > 0 && <span className="branch-fact">{changed.toLocaleString('en')} changed</span>}
      {distance !== null && distance.ahead > 0 && (
        <span className="branch-fact">
          <span aria-hidden="true">↑{distance.ahead}</span>
          <span className="rp-hidden">, {distance.ahead} to push</span>
        </span>
      )}
      {distance !== null && distance.behind > 0 && (
        <span className="branch-fact">
          <span aria-hidden="true">↓{distance.behind}</span>
          <span className="rp-hidden">, {distance.behind} to pull</span>
        </span>
      )}
    </>
  );
}
