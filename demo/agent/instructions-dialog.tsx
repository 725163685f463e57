// The dialog for the person's own instructions, which hold in every project.
import { useId, useState } from 'react';
import type { FormEvent, SyntheticEvent } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import { useModal } from '../layout/use-modal.ts';
import { messageOf } from '../message-of.ts';
import { readInstructions, saveInstructions } from './user-files.ts';

const unsaved = 'What you have written isn’t saved. Press Escape again to drop it.';

export interface InstructionsDialogProps {
  readonly host: BrowserHost;
  readonly onClose: () => void;
}

export function InstructionsDialog({ host, onClose }: InstructionsDialogProps) {
  const dialogRef = useModal();
  const id = useId();
  const [text, setText] = useState(readInstructions);
  const [problem, setProblem] = useState('');
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await saveInstructions(host, text);
      dialogRef.current?.close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const isUnsaved = text !== readInstructions();
  const onCancel = (event: SyntheticEvent) => {
    if (!isUnsaved || problem === unsaved) return;
    event.preventDefault();
    setProblem(unsaved);
  };
  return (
    <dialog
      ref={dialogRef}
      className="dialog"
      aria-labelledby={`${id}-title`}
      onCancel={onCancel}
      onClose={onClose}
    >
      <form onSubmit={(event) => void save(event)}>
        <h2 id={`${id}-title`}>Your instructions</h2>
        <label htmlFor={`${id}-text`}>For every project in this browser</label>
        <textarea
          id={`${id}-text`}
          className="instructions-text"
          value={text}
          rows={8}
          placeholder="Answer briefly. Write tests first."
          aria-describedby={`${id}-note`}
          onChange={(event) => {
            setText(event.target.value);
            setProblem('');
          }}
        />
        <p id={`${id}-note`} className="hint">
          Kept in this browser. The agent gets them with its next prompt, before the project’s
          CLAUDE.md and AGENTS.md.
        </p>
        <p className="bar bar-danger" role="alert" hidden={problem === ''}>
          {problem}
        </p>
        <div className="dialog-actions">
          <button type="button" onClick={() => dialogRef.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Save
          </button>
        </div>
      </form>
    </dialog>
  );
}
