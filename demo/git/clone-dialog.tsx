// The dialog that clones a git repository by its address. It shows the progress, a button to stop, and errors. The
// open project stays, and its agent continues to work, until the clone is complete.
import { useEffect, useId, useRef, useState } from 'react';
import type { GitProgress } from 'rockpool/git';
import { useModal } from '../layout/use-modal.ts';
import type { Project } from '../project/project.ts';
import { cloneProject, toGitProject } from './clone-project.ts';
import { describeProgress, explainError } from './describe-git.ts';
import type { TokenDesk } from './token-desk.ts';

export interface CloneDialogProps {
  readonly desk: TokenDesk;
  /** Called when the clone is complete, or existed already. */
  readonly onOpen: (project: Project) => void;
  readonly onClose: () => void;
}

type State =
  | { readonly kind: 'asking'; readonly problem: string }
  | { readonly kind: 'cloning'; readonly progress: GitProgress | null }
  /** This browser has a copy of the repository. */
  | { readonly kind: 'there'; readonly project: Project };

/** In milliseconds. A person can't read more messages a second. */
const progressEveryMs = 100;

export function CloneDialog({ desk, onOpen, onClose }: CloneDialogProps) {
  const dialogRef = useModal();
  const titleId = useId();
  const hintId = useId();
  const [address, setAddress] = useState('');
  const [token, setToken] = useState('');
  const [isFull, setIsFull] = useState(false);
  const [state, setState] = useState<State>({ kind: 'asking', problem: '' });
  const cloning = useRef<AbortController | null>(null);
  useEffect(() => () => cloning.current?.abort(), []);

  const isCloning = state.kind === 'cloning';
  useEffect(() => {
    // The pressed button may have been replaced by others.
    const isLost = !dialogRef.current?.contains(document.activeElement);
    if (isLost) dialogRef.current?.querySelector<HTMLElement>('.primary')?.focus();
  }, [dialogRef, state.kind]);

  const clone = async (isAnew: boolean) => {
    if (isCloning) return;
    const project = toGitProject(address);
    if (!project) {
      const problem = 'Enter an address such as https://github.com/owner/name.';
      return setState({ kind: 'asking', problem });
    }
    if (token.trim() !== '') desk.enter(new URL(project.url).host, token.trim());
    const controller = new AbortController();
    cloning.current = controller;
    setState({ kind: 'cloning', progress: null });
    try {
      const outcome = await cloneProject(project, desk, {
        isAnew,
        full: isFull,
        signal: controller.signal,
        onProgress: everySoOften((progress) => setState({ kind: 'cloning', progress })),
      });
      if (outcome === 'there') setState({ kind: 'there', project });
      else onOpen(project);
    } catch (error) {
      setState({ kind: 'asking', problem: await explainError(error) });
    }
  };

  return (
    <dialog ref={dialogRef} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void clone(false);
        }}
      >
        <h2 id={titleId}>Open a git repository</h2>
        <label className="field">
          Address
          <input
            type="url"
            required
            autoComplete="off"
            spellCheck={false}
            placeholder="https://github.com/owner/name"
            readOnly={isCloning}
            value={address}
            onChange={(event) => {
              setAddress(event.target.value);
              setState({ kind: 'asking', problem: '' });
            }}
          />
        </label>
        <label className="field">
          Token, if it isn’t public
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            readOnly={isCloning}
            aria-describedby={hintId}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
          <span id={hintId} className="note">
            Kept in this page’s memory until it is closed, and sent to that server alone.
          </span>
        </label>
        <label className="check">
          <input
            type="checkbox"
            aria-disabled={isCloning}
            checked={isFull}
            onChange={(event) => !isCloning && setIsFull(event.target.checked)}
          />
          All commits and branches, not only the newest commit
        </label>
        {isCloning && (
          <div className="clone-progress">
            <Progress progress={state.progress} />
            <button type="button" onClick={() => cloning.current?.abort()}>
              Stop
            </button>
          </div>
        )}
        {state.kind === 'asking' && state.problem !== '' && (
          <p className="bar bar-danger" role="alert">
            {state.problem}
          </p>
        )}
        {state.kind === 'there' && (
          <p className="bar bar-warning" role="alert">
            This browser has a copy of {state.project.name} already, perhaps with changes that were
            not pushed. To clone it anew deletes that copy.
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          {state.kind === 'there' ? (
            <>
              <button type="button" onClick={() => void clone(true)}>
                Clone anew
              </button>
              <button type="button" className="primary" onClick={() => onOpen(state.project)}>
                Open the copy
              </button>
            </>
          ) : (
            <button type="submit" className="primary" aria-disabled={isCloning}>
              Clone
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

function Progress({ progress }: { readonly progress: GitProgress | null }) {
  const total = progress?.total;
  return (
    <>
      <progress
        aria-label="How far the clone is"
        {...(progress && total !== undefined && { value: progress.done, max: total })}
      />
      <span className="note">{progress ? describeProgress(progress) : 'Asking the server…'}</span>
    </>
  );
}

/** Shows only some of the messages, but always the first of each phase. */
function everySoOften(show: (progress: GitProgress) => void): (progress: GitProgress) => void {
  let lastMs = 0;
  let lastPhase = '';
  return (progress) => {
    const now = performance.now();
    if (progress.phase === lastPhase && now - lastMs < progressEveryMs) return;
    lastMs = now;
    lastPhase = progress.phase;
    show(progress);
  };
}
