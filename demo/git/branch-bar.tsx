// The bar with the branch, and the buttons to push and pull.
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Git, GitBranch } from 'rockpool/git';
import { describeMerge } from './describe-git.ts';
import type { GitState } from './git-watch.ts';
import type { GitRun } from './use-git-run.ts';

export interface BranchBarProps {
  readonly git: Git;
  readonly state: GitState & { readonly kind: 'ready' };
  readonly run: GitRun;
}

export function BranchBar({ git, state, run }: BranchBarProps) {
  const [name, setName] = useState<string | null>(null);
  const isBusy = run.label !== '';
  const begin = useRef<HTMLButtonElement>(null);
  // The form is removed, so the focus returns to the button that opened it.
  const close = () => {
    flushSync(() => setName(null));
    begin.current?.focus();
  };
  const create = async (wanted: string) => {
    const done = await run.run(`Creating ${wanted}`, (options) =>
      git.switch(wanted, { create: true, ...options }),
    );
    if (done) close();
  };
  return (
    <div className="git-bar">
      <BranchSelect git={git} state={state} run={run} />
      {name === null ? (
        <button
          ref={begin}
          type="button"
          className="pane-button"
          aria-disabled={isBusy}
          onClick={() => !isBusy && setName('')}
        >
          New branch
        </button>
      ) : (
        <form
          className="git-new-branch"
          onSubmit={(event) => {
            event.preventDefault();
            void create(name.trim());
          }}
        >
          <input
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- it stands where the button was that was pressed
            autoFocus
            aria-label="Name of the new branch"
            placeholder="Name"
            required
            spellCheck={false}
            autoCapitalize="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') close();
            }}
          />
          <button type="submit" className="pane-button" aria-disabled={isBusy}>
            Create
          </button>
          <button type="button" className="pane-button" onClick={close}>
            Cancel
          </button>
        </form>
      )}
      {state.hasRemote && <ServerButtons git={git} state={state} run={run} />}
    </div>
  );
}

function BranchSelect({ git, state, run }: BranchBarProps) {
  const { branch, head } = state.status;
  const own = state.branches.filter(({ isRemote }) => !isRemote);
  const theirs = state.branches.filter(
    ({ name, isRemote }) => isRemote && !own.some((one) => one.name === shortName(name)),
  );
  const choose = (name: string) =>
    run.run(`Switching to ${name}`, (options) => git.switch(name, options));
  return (
    <select
      aria-label="Branch"
      value={branch ?? ''}
      // Not `disabled`, because a disabled field loses the focus. A choice has no effect meanwhile.
      aria-disabled={run.label !== ''}
      onChange={(event) => void choose(event.target.value)}
    >
      {branch === null && <option value="">no branch, at {head?.slice(0, 7)}</option>}
      {branch !== null && !own.some(({ name }) => name === branch) && <option>{branch}</option>}
      {own.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
      {theirs.length > 0 && (
        <optgroup label="On the server">
          {theirs.map((each) => (
            <option key={each.name} value={shortName(each.name)}>
              {shortName(each.name)}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

/** The name without the server's: after a switch `origin/main` becomes `main`. */
function shortName(name: GitBranch['name']): string {
  return name.slice(name.indexOf('/') + 1);
}

function ServerButtons({ git, state, run }: BranchBarProps) {
  const isBusy = run.label !== '';
  const { distance } = state;
  const fetchNow = () =>
    run.run('Fetching', async (options) => {
      const { updated } = await git.fetch(options);
      return updated.length === 0 ? 'There is nothing new on the server.' : '';
    });
  const pull = () => run.run('Pulling', async (options) => describeMerge(await git.pull(options)));
  const push = () =>
    run.run('Pushing', async (options) => {
      const { before, after, message } = await git.push(options);
      if (before === after) return 'The server has all of it already.';
      return message.trim() === '' ? 'Pushed.' : `Pushed. The server says: ${message.trim()}`;
    });
  return (
    <span className="git-server">
      <button
        type="button"
        className="pane-button"
        aria-disabled={isBusy}
        onClick={() => void fetchNow()}
      >
        Fetch
      </button>
      <button
        type="button"
        className="pane-button"
        aria-disabled={isBusy}
        onClick={() => void pull()}
      >
        Pull{distance !== null && distance.behind > 0 && ` (${distance.behind})`}
      </button>
      <button
        type="button"
        className="pane-button"
        aria-disabled={isBusy}
        onClick={() => void push()}
      >
        Push{distance !== null && distance.ahead > 0 && ` (${distance.ahead})`}
      </button>
    </span>
  );
}
