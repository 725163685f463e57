// Beside the project's name, where it is a folder of the disk: whether both sides are alike, and what isn't.
import type { FolderState } from './use-project.ts';

export interface FolderLineProps {
  readonly state: FolderState;
  /** Asks for the permission, or tries again. */
  readonly onReconnect: () => void;
}

const words = {
  idle: 'On disk',
  busy: 'Writing…',
  ended: 'Closed',
  off: 'Not connected',
  failed: 'Not written',
} as const;

export function FolderLine({ state, onReconnect }: FolderLineProps) {
  const { kind } = state;
  const problems = kind === 'off' ? [] : state.problems;
  const message = kind === 'failed' ? state.error.message : '';
  const details = [message, ...problems.map((problem) => problem.message)].filter(Boolean);
  return (
    <span className="folder-state" data-kind={kind}>
      <span role="status" title={details.join('\n')}>
        {words[kind]}
        {problems.length > 0 && `, ${problems.length} not alike`}
      </span>
      {(kind === 'off' || kind === 'failed') && (
        <button type="button" onClick={onReconnect}>
          {kind === 'off' ? 'Connect' : 'Try again'}
        </button>
      )}
    </span>
  );
}
