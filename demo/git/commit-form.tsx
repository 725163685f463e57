// The form for a commit: message, author, and whether it contains the staged files or everything.
import { useState } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import type { GitPerson } from 'rockpool/git';
import { readSetting, writeSetting } from '../settings.ts';
import type { GitState } from './git-watch.ts';
import type { GitRun } from './use-git-run.ts';

export interface CommitFormProps {
  readonly host: BrowserHost;
  readonly state: GitState & { readonly kind: 'ready' };
  readonly run: GitRun;
  readonly onStageAll: () => void;
}

/** The unfinished message by project. Opening a file closes the panel, but must not lose the message. */
const unfinished = new WeakMap<BrowserHost, string>();

export function CommitForm({ host, state, run, onStageAll }: CommitFormProps) {
  const [message, setMessage] = useState(() => unfinished.get(host) ?? '');
  const [author, setAuthor] = useState<GitPerson>(readAuthor);
  const [asksAuthor, setAsksAuthor] = useState(author.name === '' || author.email === '');
  const { files, operation } = state.status;
  const isStaged = files.some(({ index }) => index !== ' ' && index !== '?');
  const isAll = !isStaged && operation === null;
  const hasUnstaged = files.some(({ worktree }) => worktree !== ' ');
  const isBusy = run.label !== '';

  const commit = async () => {
    if (isBusy) return;
    writeSetting('git-author', author);
    setAsksAuthor(false);
    const done = await run.run('Committing', async (options) => {
      if (isAll) await host.git.add('.', options);
      await host.git.commit({ ...(message.trim() !== '' && { message }), author, ...options });
    });
    // The form may be removed by now, if nothing else is left to commit.
    if (done) write('');
  };
  function write(text: string) {
    unfinished.set(host, text);
    setMessage(text);
  }

  return (
    <form
      className="git-commit"
      onSubmit={(event) => {
        event.preventDefault();
        void commit();
      }}
    >
      <label className="field">
        Message
        <textarea
          required={operation === null}
          placeholder={operation === null ? '' : `Left empty: what the ${operation} has written`}
          rows={2}
          value={message}
          onChange={(event) => write(event.target.value)}
        />
      </label>
      {asksAuthor ? (
        <div className="git-author">
          <label className="field">
            Your name
            <input
              required
              autoComplete="name"
              value={author.name}
              onChange={(event) => setAuthor({ ...author, name: event.target.value })}
            />
          </label>
          <label className="field">
            Your email
            <input
              type="email"
              required
              autoComplete="email"
              value={author.email}
              onChange={(event) => setAuthor({ ...author, email: event.target.value })}
            />
          </label>
        </div>
      ) : (
        <p className="note git-author-line">
          By {author.name} &lt;{author.email}&gt;{' '}
          <button type="button" className="pane-button" onClick={() => setAsksAuthor(true)}>
            Change
          </button>
        </p>
      )}
      <div className="git-commit-actions">
        <button
          type="button"
          className="pane-button"
          aria-disabled={isBusy || !hasUnstaged}
          onClick={() => hasUnstaged && onStageAll()}
        >
          Stage all
        </button>
        <button type="submit" className="pane-button primary" aria-disabled={isBusy}>
          {isAll ? 'Commit all' : 'Commit what is staged'}
        </button>
      </div>
    </form>
  );
}

/** The author that was entered last. */
function readAuthor(): GitPerson {
  const { name, email } = Object(readSetting('git-author')) as Readonly<Record<string, unknown>>;
  return {
    name: typeof name === 'string' ? name : '',
    email: typeof email === 'string' ? email : '',
  };
}
