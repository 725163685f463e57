// The changes since the last commit, file by file with diffs, and the forms to stage and commit them.
import { useEffect, useState } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import type { GitFileDiff, GitFileStatus, GitStatusCode } from 'rockpool/git';
import { Collapsible, Diff, DiffStat, FileLink } from 'rockpool/react';
import { messageOf } from '../message-of.ts';
import { CommitForm } from './commit-form.tsx';
import { describeMerge } from './describe-git.ts';
import type { GitState } from './git-watch.ts';
import type { GitRun } from './use-git-run.ts';

export interface ChangesTabProps {
  readonly host: BrowserHost;
  readonly state: GitState & { readonly kind: 'ready' };
  readonly run: GitRun;
}

/** More than a person reads. The other files are committed, too. */
const maxShown = 500;

export function ChangesTab({ host, state, run }: ChangesTabProps) {
  const { status, number } = state;
  const { files, operation } = status;
  const isBusy = run.label !== '';
  const stageAll = () => run.run('Staging', (options) => host.git.add('.', options));
  const isRebase = operation === 'rebase';
  const goOn = () =>
    run.run('Rebasing', async (options) => describeMerge(await host.git.continue(options)));
  const giveUp = () => run.run('Going back', (options) => host.git.abort(options));
  return (
    <div className="git-scroll">
      {operation !== null && (
        <div className="bar bar-warning" role="status">
          <span>
            A {operation} waits: mend the files with conflicts, stage them, and{' '}
            {isRebase ? 'continue' : 'commit'}.
          </span>
          {isRebase && (
            <button type="button" aria-disabled={isBusy} onClick={() => void goOn()}>
              Continue rebase
            </button>
          )}
          <button type="button" aria-disabled={isBusy} onClick={() => void giveUp()}>
            Abort {operation}
          </button>
        </div>
      )}
      {files.length === 0 && operation === null ? (
        <p className="git-empty note">Nothing has changed since the last commit.</p>
      ) : (
        <>
          <CommitForm host={host} state={state} run={run} onStageAll={() => void stageAll()} />
          <ul className="git-list" aria-label="Changed files">
            {files.slice(0, maxShown).map((file) => (
              <ChangedFile
                key={file.path}
                host={host}
                file={file}
                hasHead={status.head !== null}
                number={number}
                run={run}
              />
            ))}
          </ul>
          {files.length > maxShown && (
            <p className="git-empty note">
              And {(files.length - maxShown).toLocaleString('en')} more files.
            </p>
          )}
        </>
      )}
    </div>
  );
}

const words: Readonly<Record<Exclude<GitStatusCode, ' '>, string>> = {
  A: 'New',
  '?': 'New',
  D: 'Deleted',
  M: 'Changed',
  R: 'Renamed',
  T: 'Other type',
  U: 'Conflict',
  '!': 'Ignored',
};

/** True if both sides added or removed the file, or changed it in different ways. */
function isConflict({ index, worktree }: GitFileStatus): boolean {
  if (index === 'U' || worktree === 'U') return true;
  return index === worktree && (index === 'A' || index === 'D');
}

/** One word for the change of a file since the last commit. */
function describeFile(file: GitFileStatus): string {
  const { index, worktree } = file;
  if (isConflict(file)) return words.U;
  const code = index === ' ' || worktree === 'D' ? worktree : index;
  return code === ' ' ? '' : words[code];
}

/** Both paths of a renamed file, because its old path is in the index's difference, too. */
function pathsOf({ path, renamedFrom }: GitFileStatus): readonly string[] {
  return renamedFrom === undefined ? [path] : [renamedFrom, path];
}

interface ChangedFileProps {
  readonly host: BrowserHost;
  readonly file: GitFileStatus;
  readonly hasHead: boolean;
  readonly number: number;
  readonly run: GitRun;
}

function ChangedFile({ host, file, hasHead, number, run }: ChangedFileProps) {
  const { path, renamedFrom, index, worktree } = file;
  const isFolder = path.endsWith('/');
  const isStaged = worktree === ' ';
  const change = () =>
    run.run(isStaged ? 'Taking it back' : 'Staging', (options) =>
      isStaged
        ? host.git.restore(pathsOf(file), { staged: true, ...options })
        : host.git.add(path, options),
    );
  const isPartly = !isStaged && index !== ' ' && index !== '?' && !isConflict(file);
  return (
    <li>
      <Collapsible
        summary={
          <span className="rp-call-line">
            <span className="git-word">{describeFile(file)}</span>
            <span className="rp-call-detail">
              {renamedFrom !== undefined && `${renamedFrom} → `}
              {isFolder ? path : <FileLink path={path} />}
            </span>
            {(isStaged || isPartly) && (
              <span className="git-badge">{isPartly ? 'partly staged' : 'staged'}</span>
            )}
            {hasHead || !isStaged ? (
              <button
                type="button"
                className="pane-button"
                aria-label={`${isStaged ? 'Unstage' : 'Stage'} ${path}`}
                aria-disabled={run.label !== ''}
                onClick={() => void change()}
              >
                {isStaged ? 'Unstage' : 'Stage'}
              </button>
            ) : null}
          </span>
        }
      >
        {isFolder ? (
          <p className="rp-note">A new folder. Stage it, and its files are listed one by one.</p>
        ) : (
          <FileDiff host={host} file={file} hasHead={hasHead} number={number} />
        )}
      </Collapsible>
    </li>
  );
}

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'ready';
      readonly diff: Pick<GitFileDiff, 'additions' | 'deletions' | 'structuredPatch'>;
    };

/** The diff is read when the file is opened, and again when the file may have changed. */
function FileDiff({ host, file, hasHead, number }: Omit<ChangedFileProps, 'run'>) {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  useEffect(() => {
    let isCurrent = true;
    readDiff(host, file, hasHead).then(
      (diff) => isCurrent && setLoaded({ kind: 'ready', diff }),
      (error: unknown) =>
        isCurrent &&
        setLoaded({
          kind: 'failed',
          message: messageOf(error),
        }),
    );
    return () => void (isCurrent = false);
  }, [host, file, hasHead, number]);
  if (loaded.kind === 'loading') return <p className="rp-note">Comparing…</p>;
  if (loaded.kind === 'failed') return <p className="rp-note">{loaded.message}</p>;
  return (
    <>
      <p className="git-stat">
        <DiffStat additions={loaded.diff.additions} deletions={loaded.diff.deletions} />
      </p>
      <Diff hunks={loaded.diff.structuredPatch} path={file.path} />
    </>
  );
}

/** The limit for the shown part of a new file, in bytes. */
const maxNewBytes = 200_000;

const noDiff = { additions: 0, deletions: 0, structuredPatch: [] };

async function readDiff(
  { git, workspace, cwd }: BrowserHost,
  file: GitFileStatus,
  hasHead: boolean,
): Promise<(Loaded & { kind: 'ready' })['diff']> {
  const { path, index, worktree } = file;
  if (worktree !== '?') {
    const staged = worktree === ' ' || (!hasHead && index === 'A');
    const [diff] = await git.diff({
      paths: pathsOf(file),
      ...(staged ? { staged } : hasHead && { from: 'HEAD' }),
    });
    return diff ?? noDiff;
  }
  const bytes = await workspace.fs.readFile(`${cwd}/${path}`);
  if (bytes.length > maxNewBytes || bytes.includes(0)) return noDiff;
  const lines = new TextDecoder().decode(bytes).replace(/\n$/u, '').split('\n');
  const hunk = {
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: lines.length,
    lines: lines.map((line) => `+${line}`),
  };
  return bytes.length === 0
    ? noDiff
    : { additions: lines.length, deletions: 0, structuredPatch: [hunk] };
}
