// The state of a mounted folder: beside its name whether both sides are equal, and in its menu the differences.
import { messageOf } from '../message-of.ts';
import type { FolderState } from './use-project.ts';

export interface FolderLineProps {
  readonly state: FolderState;
  /** Asks for the permission again, or retries. */
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
  return (
    <span className="folder-state" data-kind={kind}>
      <span role="status" title={listProblems(state).join('\n')}>
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

/** For the project's menu: a sentence for each path that differs, and why nothing can be written. */
export function FolderProblems({ state }: { readonly state: FolderState }) {
  return (
    <>
      {listProblems(state).map((message) => (
        <p key={message} className="problem menu-problem">
          {message}
        </p>
      ))}
    </>
  );
}

function listProblems(state: FolderState): string[] {
  if (state.kind === 'off') return state.error === undefined ? [] : [messageOf(state.error)];
  const messages = state.problems.map((problem) => problem.message);
  return state.kind === 'failed' ? [state.error.message, ...messages] : messages;
}
