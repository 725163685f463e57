// The panel over the editor: branch, server, changes and history of the project's git.
import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import { BranchBar } from './branch-bar.tsx';
import { ChangesTab } from './changes-tab.tsx';
import type { GitState, GitWatch } from './git-watch.ts';
import { HistoryTab } from './history-tab.tsx';
import { useGitState } from './use-git.ts';
import { useGitRun } from './use-git-run.ts';
import type { GitRun } from './use-git-run.ts';

export interface GitPanelProps {
  readonly host: BrowserHost;
  readonly watch: GitWatch;
  /** How many files the project has. */
  readonly fileCount: number;
  readonly onClose: () => void;
}

export function GitPanel({ host, watch, fileCount, onClose }: GitPanelProps) {
  const state = useGitState(watch);
  const run = useGitRun(host, watch);
  const panelRef = useRef<HTMLDivElement>(null);
  useEffect(() => panelRef.current?.focus(), []);
  useKeepFocus(panelRef, run.label !== '');
  return (
    <div ref={panelRef} className="git-panel" role="group" aria-label="Git" tabIndex={-1}>
      <header className="pane-header">
        <h2 className="git-title">Git</h2>
        <button type="button" className="pane-button" onClick={onClose}>
          Back to the editor
        </button>
      </header>
      {state.kind === 'ready' && <BranchBar git={host.git} state={state} run={run} />}
      <RunBar run={run} />
      <Body host={host} state={state} run={run} fileCount={fileCount} />
    </div>
  );
}

/**
 * Keeps the focus in the panel. The element with which a command was started, such as a commit's form, may be removed
 * when the command ends.
 */
function useKeepFocus(panelRef: RefObject<HTMLElement | null>, isBusy: boolean): void {
  const wasWithin = useRef(false);
  useEffect(() => {
    const panel = panelRef.current;
    if (isBusy) wasWithin.current = panel?.contains(document.activeElement) === true;
    else if (wasWithin.current && document.activeElement === document.body) panel?.focus();
  }, [panelRef, isBusy]);
}

/** The running command, or its outcome. */
function RunBar({ run }: { readonly run: GitRun }) {
  return (
    <>
      <div className="git-running" role="status" hidden={run.label === '' && run.note === ''}>
        {run.label === '' ? (
          <span className="git-note">{run.note}</span>
        ) : (
          <>
            <span>{run.label}…</span>
            <span className="note">{run.progress}</span>
            <button type="button" className="pane-button" onClick={run.stop}>
              Stop
            </button>
          </>
        )}
      </div>
      {run.problem !== '' && (
        <p className="bar bar-danger git-problem" role="alert">
          {run.problem}
        </p>
      )}
    </>
  );
}

interface BodyProps {
  readonly host: BrowserHost;
  readonly state: GitState;
  readonly run: GitRun;
  readonly fileCount: number;
}

function Body({ host, state, run, fileCount }: BodyProps) {
  const [shown, setShown] = useState<'changes' | 'history'>('changes');
  if (state.kind === 'looking') return <p className="git-empty note">Looking…</p>;
  if (state.kind === 'failed') {
    return (
      <p className="bar bar-danger git-problem" role="alert">
        {state.message}
      </p>
    );
  }
  if (state.kind === 'none') {
    const init = () => run.run('Initializing', async () => void (await host.git.init()));
    return (
      <div className="git-empty">
        <p>This project isn’t under git yet.</p>
        <button type="button" className="pane-button" onClick={() => void init()}>
          Initialize repository
        </button>
      </div>
    );
  }
  const count = state.status.files.length;
  return (
    <>
      {/* Its key: React would make its buttons of those that stood there before, with their focus. */}
      <div key="views" className="git-views">
        <button
          type="button"
          className="pane-button"
          aria-pressed={shown === 'changes'}
          onClick={() => setShown('changes')}
        >
          Changes{count > 0 && ` (${count.toLocaleString('en')})`}
        </button>
        <button
          type="button"
          className="pane-button"
          aria-pressed={shown === 'history'}
          onClick={() => setShown('history')}
        >
          History
        </button>
      </div>
      {shown === 'changes' ? (
        <ChangesTab host={host} state={state} run={run} />
      ) : (
        <HistoryTab git={host.git} head={state.status.head} fileCount={fileCount} />
      )}
    </>
  );
}
