// Asks the person for a git server's token when the server requires a login.
import { useId, useState, useSyncExternalStore } from 'react';
import { useModal } from '../layout/use-modal.ts';
import type { TokenDesk, TokenQuestion } from './token-desk.ts';

export function TokenDialog({ desk }: { readonly desk: TokenDesk }) {
  const questions = useSyncExternalStore(desk.subscribe, desk.getSnapshot);
  const [question] = questions;
  return question ? <Question key={question.id} question={question} /> : null;
}

function Question({ question }: { readonly question: TokenQuestion }) {
  const dialogRef = useModal();
  const titleId = useId();
  const [token, setToken] = useState('');
  const { host, wasRefused, answer } = question;
  return (
    <dialog
      ref={dialogRef}
      className="dialog"
      aria-labelledby={titleId}
      onClose={() => answer(undefined)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          answer(token.trim() || undefined);
        }}
      >
        <h2 id={titleId}>Sign in to {host}</h2>
        {wasRefused && (
          <p className="bar bar-danger" role="alert">
            It refused the last token: it is wrong, has run out, or may not do this.
          </p>
        )}
        <label className="field">
          Token for {host}
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
          <span className="note">
            Kept in this page’s memory until it is closed, and sent to {host} alone.
          </span>
        </label>
        <div className="dialog-actions">
          <button type="button" onClick={() => answer(undefined)}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Use this token
          </button>
        </div>
      </form>
    </dialog>
  );
}
