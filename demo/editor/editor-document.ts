// One open file between the editor and the workspace: loads it, saves it as a compare-and-set write,
// takes over what the agent changes, and says so when both changed it. Nothing is ever overwritten
// unseen.
import { SdkError } from 'rockpool/browser';
import type { ChangeEvent, Workspace } from 'rockpool/browser';

/** The editor, as far as a document needs it. */
export interface TextBuffer {
  getText(): string;
  /** Replaces the text without calling {@link EditorDocument.edited}. */
  setText(text: string): void;
  /** The same as an edit that can be undone. */
  replaceText(text: string): void;
}

export type DocumentState =
  | { readonly kind: 'loading' | 'saved' | 'unsaved' | 'saving' }
  /** The file was changed while edits were unsaved; `deleted`: there is nothing to take over. */
  | { readonly kind: 'conflict'; readonly isDeleted: boolean }
  /** Not text, too large, gone: there is nothing to edit. */
  | {
      readonly kind: 'unreadable';
      readonly message: string;
      /** The person's text is still here: {@link EditorDocument.restore} writes it. */
      readonly canRestore?: boolean;
    }
  /** Saving failed for another reason; the edits are still here. */
  | { readonly kind: 'failed'; readonly message: string };

export interface EditorDocument extends Disposable {
  /** The person changed the text. */
  edited(): void;
  /** Resolves when there is nothing more to save, or it can't be saved. */
  save(): Promise<void>;
  /** Ends a conflict: writes over what stands there now, which undo brings back. */
  keepMine(): Promise<void>;
  /** Ends a conflict: takes what stands there now; undo brings the edits back. */
  takeTheirs(): Promise<void>;
  /** Writes the text of a file that was deleted meanwhile. */
  restore(): Promise<void>;
}

export interface EditorDocumentOptions {
  readonly workspace: Workspace;
  readonly path: string;
  readonly buffer: TextBuffer;
  readonly onState: (state: DocumentState) => void;
}

/** Larger texts make the editor slow; they can still be read and edited by the agent. */
const maxBytes = 4 * 1024 * 1024;

interface FileContent {
  readonly text: string;
  readonly version: number;
  readonly mode: number;
}

export function createEditorDocument(options: EditorDocumentOptions): EditorDocument {
  const { workspace, path, buffer, onState } = options;
  let state: DocumentState = { kind: 'loading' };
  let version = 0;
  let mode = 0o644;
  let saving: Promise<void> | null = null;
  let isDisposed = false;

  const setState = (next: DocumentState) => {
    state = next;
    if (!isDisposed) onState(next);
  };
  const hasMoreToSave = () => state.kind === 'unsaved';
  const hasEdits = () => state.kind !== 'saved' && state.kind !== 'loading';

  async function load(take = buffer.setText): Promise<void> {
    try {
      const content = await readText(workspace, path);
      if (isDisposed || hasEdits()) return;
      ({ version, mode } = content);
      if (content.text !== buffer.getText()) take(content.text);
      setState({ kind: 'saved' });
    } catch (error) {
      setState({ kind: 'unreadable', message: toSentence(error) });
    }
  }

  async function write(): Promise<void> {
    setState({ kind: 'saving' });
    const text = buffer.getText();
    try {
      const change = {
        type: 'write',
        path,
        baseVersion: version,
        content: new TextEncoder().encode(text),
        mode,
        mtimeMs: Date.now(),
      } as const;
      const { seq } = await workspace.commit(
        { baseSeq: workspace.seq(), changes: [change] },
        { author: { kind: 'user' } },
      );
      version = seq;
      setState({ kind: buffer.getText() === text ? 'saved' : 'unsaved' });
    } catch (error) {
      if (SdkError.isInstance(error) && error.code === 'ECONFLICT') await setConflict();
      else setState({ kind: 'failed', message: toSentence(error) });
    }
  }

  async function setConflict(): Promise<void> {
    const [current = 0] = await workspace.versions([path]);
    const isThere = await workspace.fs.access(path).then(
      () => true,
      () => false,
    );
    version = current;
    setState({ kind: 'conflict', isDeleted: !isThere });
  }

  async function follow({ root, changes }: ChangeEvent): Promise<void> {
    if (root !== 'main') return;
    // A save under way decides first whether this is its own record.
    await saving;
    // The last one: what was deleted, with a directory above it perhaps, may have been made anew.
    const change = changes.findLast(
      (candidate) =>
        candidate.path === path ||
        (candidate.type === 'delete' && path.startsWith(`${candidate.path}/`)),
    );
    if (!change || change.version <= version || isDisposed) return;
    if (hasEdits() && state.kind !== 'unreadable') return setConflict();
    if (change.type === 'delete') {
      return setState({ kind: 'unreadable', message: 'This file was deleted.' });
    }
    setState({ kind: 'loading' });
    await load();
  }

  const following = workspace.onChange((event) => void follow(event));
  void load();

  async function save(): Promise<void> {
    await saving;
    if (state.kind !== 'unsaved' && state.kind !== 'failed') return;
    saving ??= write().finally(() => (saving = null));
    await saving;
    // Typed on while it was saved: that is saved too.
    if (hasMoreToSave()) await save();
  }

  return {
    edited() {
      if (state.kind === 'saved' || state.kind === 'failed') setState({ kind: 'unsaved' });
    },
    save,
    async keepMine() {
      if (state.kind !== 'conflict') return;
      // Nothing of the other side is lost where it isn't there, or is no text.
      const theirs = await readText(workspace, path).catch(() => undefined);
      if (state.kind !== 'conflict' || isDisposed) return;
      const mine = buffer.getText();
      if (theirs && theirs.text !== mine) {
        buffer.replaceText(theirs.text);
        buffer.replaceText(mine);
      }
      setState({ kind: 'unsaved' });
      await save();
    },
    async takeTheirs() {
      if (state.kind !== 'conflict') return;
      if (state.isDeleted) {
        const message = 'This file was deleted. What you wrote is still here.';
        return setState({ kind: 'unreadable', message, canRestore: true });
      }
      setState({ kind: 'loading' });
      await load(buffer.replaceText);
    },
    async restore() {
      if (state.kind !== 'unreadable' || !state.canRestore) return;
      setState({ kind: 'unsaved' });
      await save();
    },
    [Symbol.dispose]() {
      isDisposed = true;
      following[Symbol.dispose]();
    },
  };
}

/** The text and the version that it has: read again when the file changes in between. */
async function readText(workspace: Workspace, path: string): Promise<FileContent> {
  for (;;) {
    const stats = await workspace.fs.stat(path);
    if (stats.size > maxBytes) {
      const megabytes = (stats.size / 1024 / 1024).toFixed(1);
      throw new SdkError('invalid-input', `This file has ${megabytes} MB: too large to edit here.`);
    }
    const bytes = await workspace.fs.readFile(path);
    const after = await workspace.fs.stat(path);
    if (after.version === stats.version) {
      // A change carries the permission bits alone, without those of the kind.
      return { text: decode(bytes), version: stats.version, mode: stats.mode & 0o7777 };
    }
  }
}

/** A byte order mark stays in the text, so that saving gives it back. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SdkError('invalid-input', 'This file is not text, so there is nothing to edit.');
  }
}

function toSentence(error: unknown): string {
  return error instanceof Error || SdkError.isInstance(error) ? error.message : String(error);
}
