// Runs one command of the panel at a time. It has the command's label, progress, a way to stop it, and its outcome.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import type { GitProgress, GitRunOptions } from 'rockpool/git';
import { describeProgress, explainError } from './describe-git.ts';
import type { GitWatch } from './git-watch.ts';

export interface GitRunState {
  /** Empty: nothing runs. */
  readonly label: string;
  readonly progress: string;
  readonly problem: string;
  /** The outcome of the last command, if the page doesn't show it otherwise. */
  readonly note: string;
}

/** A command. A text to which it resolves is shown. */
export type GitWork = (options: GitRunOptions) => Promise<string | void>;

export interface GitRun extends GitRunState {
  /** Resolves to true when it is done. False: it failed, which is shown, or another command runs. */
  run(label: string, work: GitWork): Promise<boolean>;
  stop(): void;
}

const resting: GitRunState = { label: '', progress: '', problem: '', note: '' };

export function useGitRun({ documents }: BrowserHost, watch: GitWatch): GitRun {
  const [state, setState] = useState(resting);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (label: string, work: GitWork) => {
      if (running.current) return false;
      const controller = (running.current = new AbortController());
      setState({ ...resting, label });
      const onProgress = (progress: GitProgress) =>
        setState((now) =>
          now.label === '' ? now : { ...now, progress: describeProgress(progress) },
        );
      try {
        // Saves typed text first, because it belongs to the files.
        await documents.flush();
        const note = (await work({ signal: controller.signal, onProgress })) ?? '';
        await watch.refresh();
        setState({ ...resting, note });
        return true;
      } catch (error) {
        const problem = await explainError(error);
        await watch.refresh();
        setState({ ...resting, problem });
        return false;
      } finally {
        running.current = null;
      }
    },
    [documents, watch],
  );
  return { ...state, run, stop: () => running.current?.abort() };
}
