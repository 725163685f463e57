// The commits of the branch, newest first, in pages. Each shows its changes.
import { useEffect, useState } from 'react';
import type { Git, GitCommit, GitShow } from 'rockpool/git';
import { Collapsible, FileChanges } from 'rockpool/react';
import { messageOf } from '../message-of.ts';
import { describeTime } from '../sessions/describe-time.ts';

export interface HistoryTabProps {
  readonly git: Git;
  /** The newest commit. */
  readonly head: string | null;
  /** How many files the project has. */
  readonly fileCount: number;
}

const pageSize = 30;

/** The first commit of a shallow clone has all files. Nobody reads a diff of more than this number. */
const maxFirstFiles = 300;

export function HistoryTab({ git, head, fileCount }: HistoryTabProps) {
  const [wanted, setWanted] = useState(pageSize);
  const [commits, setCommits] = useState<readonly GitCommit[] | null>(null);
  const [readAtMs, setReadAtMs] = useState(0);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isCurrent = true;
    // Reads one more than is shown, to know whether there are more.
    git.log({ maxCount: wanted + 1 }).then(
      (found) => {
        if (!isCurrent) return;
        setCommits(found);
        setReadAtMs(Date.now());
        setProblem('');
      },
      (error: unknown) => isCurrent && setProblem(messageOf(error)),
    );
    return () => void (isCurrent = false);
  }, [git, head, wanted]);
  if (problem !== '') {
    return (
      <p className="bar bar-danger git-problem" role="alert">
        {problem}
      </p>
    );
  }
  if (!commits) return <p className="git-empty note">Reading…</p>;
  if (commits.length === 0) return <p className="git-empty note">There is no commit yet.</p>;
  return (
    <div className="git-scroll">
      <ol className="git-list" aria-label="Commits">
        {commits.slice(0, wanted).map((commit) => (
          <li key={commit.oid}>
            <Collapsible summary={<CommitLine commit={commit} nowMs={readAtMs} />}>
              {commit.parents.length === 0 && fileCount > maxFirstFiles ? (
                <p className="rp-note">The history begins here: this commit has all the files.</p>
              ) : (
                <CommitDiff git={git} commit={commit} />
              )}
            </Collapsible>
          </li>
        ))}
      </ol>
      {commits.length > wanted && (
        <p className="git-empty">
          <button
            type="button"
            className="pane-button"
            onClick={() => setWanted(wanted + pageSize)}
          >
            Show {pageSize} more
          </button>
        </p>
      )}
    </div>
  );
}

function CommitLine({ commit, nowMs }: { readonly commit: GitCommit; readonly nowMs: number }) {
  const { oid, author, message } = commit;
  const ms = author.timestamp * 1000;
  return (
    <span className="rp-call-line">
      <span className="git-commit-line">
        <span className="git-subject">{message.split('\n', 1)[0]}</span>
        <span className="note">
          {author.name},{' '}
          <time dateTime={new Date(ms).toISOString()}>{describeTime(ms, nowMs)}</time>,{' '}
          <code>{oid.slice(0, 7)}</code>
        </span>
      </span>
    </span>
  );
}

function CommitDiff({ git, commit }: { readonly git: Git; readonly commit: GitCommit }) {
  const [shown, setShown] = useState<GitShow | string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    git.show(commit.oid).then(
      (found) => isCurrent && setShown(found),
      (error: unknown) => isCurrent && setShown(messageOf(error)),
    );
    return () => void (isCurrent = false);
  }, [git, commit]);
  if (shown === null) return <p className="rp-note">Comparing…</p>;
  if (typeof shown === 'string') return <p className="rp-note">{shown}</p>;
  const rest = commit.message.split('\n').slice(1).join('\n').trim();
  return (
    <>
      {rest !== '' && <p className="git-message">{rest}</p>}
      {shown.files.length === 0 ? (
        <p className="rp-note">It changes no file.</p>
      ) : (
        <FileChanges changes={shown.files} />
      )}
    </>
  );
}
