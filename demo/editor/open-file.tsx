// The open file: its name, whether it is saved, what to do about a conflict, and the editor.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { createTextDocument } from 'rockpool/browser';
import type {
  FileChange,
  OpenDocuments,
  TextDocument,
  TextDocumentOptions,
  TextDocumentState,
} from 'rockpool/browser';
import { DiffStat } from 'rockpool/react';
import { proposeChanged } from './changed-proposal.ts';
import { createCodeEditor } from './code-editor.ts';
import type { CodeEditor } from './code-editor.ts';

/** A file to show. A new object for the same path reveals its line again. */
export interface OpenFileRequest {
  readonly path: string;
  readonly line?: number;
}

export interface OpenFileProps {
  readonly workspace: TextDocumentOptions['workspace'];
  /** The registry of open documents, by which a call of the agent sees the typed text. */
  readonly documents: OpenDocuments;
  /** The file's name on the page. */
  readonly name: string;
  readonly file: OpenFileRequest;
  /** The change of this file that the agent's question is about. */
  readonly proposal: FileChange | undefined;
  /** The input of that call as the person has changed it. Null: it is as the agent asked. */
  readonly changedInput: Readonly<Record<string, unknown>> | null;
  /** False: the file is open but hidden, and keeps its state until it is shown again. */
  readonly isShown: boolean;
  readonly onState: (path: string, kind: TextDocumentState['kind']) => void;
  /** A button beside the name. */
  readonly action?: ReactNode;
}

/** Edits are saved after a pause this long, in milliseconds, on blur and on Ctrl/Cmd+S. */
const pauseBeforeSaving = 800;

export function OpenFile(props: OpenFileProps) {
  const { workspace, documents, name, file, proposal, changedInput, isShown, onState } = props;
  const hostRef = useRef<HTMLDivElement>(null);
  const editorRef = useRef<CodeEditor | null>(null);
  const documentRef = useRef<TextDocument | null>(null);
  const [state, setState] = useState<TextDocumentState>({ kind: 'loading' });
  const { path } = file;
  /** True after a conflict was decided. Undo brings the other text back. */
  const [isDecided, setIsDecided] = useState(false);

  useEffect(() => {
    const host = hostRef.current;
    if (!host) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = () => void documentRef.current?.save();
    const editor = createCodeEditor(host, {
      path,
      onSave: save,
      onBlur: save,
      onEdit: () => {
        setIsDecided(false);
        documentRef.current?.edited();
        clearTimeout(timer);
        timer = setTimeout(save, pauseBeforeSaving);
      },
    });
    const opened = createTextDocument({ workspace, path, buffer: editor, onState: setState });
    const known = documents.add(opened);
    editorRef.current = editor;
    documentRef.current = opened;
    // A hidden tab may be closed or frozen without another event.
    const saveWhenHidden = () => document.visibilityState === 'hidden' && save();
    document.addEventListener('visibilitychange', saveWhenHidden);
    // If the page is left, the event for hiding comes too late: the workers may get no messages any more.
    addEventListener('beforeunload', save);
    return () => {
      removeEventListener('beforeunload', save);
      document.removeEventListener('visibilitychange', saveWhenHidden);
      clearTimeout(timer);
      // Saves the last edits before the editor is removed: `save` reads the text at once.
      save();
      known[Symbol.dispose]();
      opened[Symbol.dispose]();
      editor[Symbol.dispose]();
    };
  }, [workspace, documents, path]);

  useEffect(() => onState(path, state.kind), [onState, path, state.kind]);
  // Saves when another file is shown, as when the page is left.
  useEffect(() => {
    if (!isShown) void documentRef.current?.save();
  }, [isShown]);

  const canEdit = state.kind !== 'loading' && state.kind !== 'unreadable';
  useEffect(() => editorRef.current?.setReadOnly(!canEdit), [canEdit]);
  useEffect(() => {
    if (canEdit && isShown && file.line !== undefined) editorRef.current?.reveal(file.line);
  }, [canEdit, isShown, file]);

  /** What is proposed. Undefined: it isn't known, and only the question shows the new text. */
  const [proposed, setProposed] = useState<FileChange['structuredPatch']>();
  useEffect(() => {
    const editor = editorRef.current;
    if (!canEdit || !editor) return;
    const asked = proposal?.structuredPatch;
    const hunks = asked && changedInput ? proposeChanged(editor.getText(), changedInput) : asked;
    editor.propose(hunks ?? []);
    setProposed(hunks);
  }, [canEdit, proposal, changedInput]);

  // The bar is removed when it is answered, so the focus moves to the text.
  const keepMine = useCallback(() => {
    void documentRef.current?.keepMine();
    setIsDecided(true);
    editorRef.current?.focus();
  }, []);
  const takeTheirs = useCallback(() => {
    void documentRef.current?.takeTheirs();
    setIsDecided(true);
    editorRef.current?.focus();
  }, []);
  const restore = useCallback(() => void documentRef.current?.restore(), []);

  return (
    <div className="editor">
      <header className="pane-header">
        <h2 className="editor-path" title={path}>
          {name}
        </h2>
        {props.action}
        {proposal && (
          <span className="editor-proposal">
            {changedInput ? 'Proposed, with your changes ' : 'Proposed '}
            {proposed && <DiffStat {...countLines(proposed)} />}
          </span>
        )}
        <span className="editor-state" data-kind={state.kind} role="status">
          {stateWords[state.kind]}
        </span>
      </header>
      {state.kind === 'conflict' && (
        <Conflict isDeleted={state.isDeleted} onMine={keepMine} onTheirs={takeTheirs} />
      )}
      {isDecided && canEdit && state.kind !== 'conflict' && (
        <p className="bar bar-note" role="status">
          Undo ({undoKey}) brings the other text back.
        </p>
      )}
      {state.kind === 'failed' && (
        <div className="bar bar-danger" role="alert">
          Not saved: {state.message} Your text is still here.
        </div>
      )}
      {state.kind === 'unreadable' && (
        <div className="editor-empty">
          <p>{state.message}</p>
          {state.canRestore && (
            <button type="button" className="pane-button" onClick={restore}>
              Write my text back
            </button>
          )}
        </div>
      )}
      <div className="editor-host" ref={hostRef} hidden={state.kind === 'unreadable'} />
    </div>
  );
}

function countLines(hunks: FileChange['structuredPatch']) {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { additions: count('+'), deletions: count('-') };
}

const undoKey = navigator.platform.startsWith('Mac') ? '⌘Z' : 'Ctrl+Z';

const stateWords: Readonly<Record<TextDocumentState['kind'], string>> = {
  loading: 'Opening…',
  saved: 'Saved',
  unsaved: 'Unsaved',
  saving: 'Saving…',
  conflict: 'Changed elsewhere',
  unreadable: '',
  failed: 'Not saved',
};

interface ConflictProps {
  readonly isDeleted: boolean;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

function Conflict({ isDeleted, onMine, onTheirs }: ConflictProps) {
  return (
    <div className="bar bar-warning" role="alert">
      <span>
        {isDeleted
          ? 'This file was deleted while you were editing it.'
          : 'This file was changed while you were editing it. Nothing is overwritten until you choose, and Undo brings the other text back.'}
      </span>
      <button type="button" onClick={onMine}>
        Keep mine
      </button>
      <button type="button" onClick={onTheirs}>
        {isDeleted ? 'Drop mine' : 'Take theirs'}
      </button>
    </div>
  );
}
