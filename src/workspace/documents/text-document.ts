// Connects one text file in an editor with the workspace. It loads the file and saves typed text as
// a compare-and-set commit. Changes by others are merged by lines with unsaved text. Nothing is
// overwritten without the person's knowledge.
import { SdkError, hasCode } from '../../core/errors.ts';
import { tellSafely } from '../../core/async/surface.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { decodeUtf8 } from '../../core/bytes/decode-utf8.ts';
import { mergeText } from '../../text/merge-text.ts';
import type { ChangeEvent, Workspace } from '../workspace.ts';
import type { OpenDocument } from './open-documents.ts';

/** The functions of an editor that a document needs. */
export interface TextBuffer {
  getText(): string;
  /**
   * Replaces the text without calling {@link TextDocument.edited}, and without an undo step. Change
   * only what `findTextEdits` returns, so that the cursor and the undo history stay.
   */
  setText(text: string): void;
  /** Replaces the text as an edit that can be undone. */
  replaceText(text: string): void;
}

/** The document's state, as a person sees it. */
export type TextDocumentState =
  | { readonly kind: 'loading' | 'saved' | 'unsaved' | 'saving' }
  /**
   * Both sides changed the same lines while edits were unsaved, so the person must decide. With
   * `isDeleted` the file was deleted, so there is no other text.
   */
  | { readonly kind: 'conflict'; readonly isDeleted: boolean }
  /** The file isn't text, is too large or doesn't exist, so it can't be edited. */
  | {
      readonly kind: 'unreadable';
      readonly message: string;
      /** True if the person's text still exists: {@link TextDocument.restore} writes it. */
      readonly canRestore?: boolean;
    }
  /** Saving failed for another reason. The edits are kept. */
  | { readonly kind: 'failed'; readonly message: string };

/** Dispose of the document when the editor closes. Save it before. */
export interface TextDocument extends OpenDocument, Disposable {
  /** Call this after the person has changed the text. */
  edited(): void;
  /** Resolves when everything is saved, or when it can't be. */
  save(): Promise<void>;
  /** Ends a conflict by overwriting the file. Undo brings the other text back. */
  keepMine(): Promise<void>;
  /** Ends a conflict by taking the file's text. Undo brings the edits back. */
  takeTheirs(): Promise<void>;
  /** Writes the text to a file that was deleted meanwhile. */
  restore(): Promise<void>;
}

/** What a document needs of a workspace. Pass the host's workspace. */
export type DocumentWorkspace = Pick<Workspace, 'fs' | 'versions' | 'seq' | 'commit' | 'onChange'>;

/** The file and its editor. */
export interface TextDocumentOptions {
  /**
   * The workspace, or the files of a remote session, as `followFiles` of rockpool/wire returns
   * them.
   */
  readonly workspace: DocumentWorkspace;
  /** An absolute path. */
  readonly path: string;
  readonly buffer: TextBuffer;
  readonly onState: (state: TextDocumentState) => void;
}

/** 4 MiB: larger texts make editors slow. The agent can still read and edit them. */
const maxBytes = 4 * 1024 * 1024;

interface FileContent {
  readonly text: string;
  readonly version: number;
  readonly mode: number;
}

/**
 * Loads the file at once and follows its changes. Add the document to the host's `documents`, so
 * that calls see the typed text.
 */
export function createTextDocument(options: TextDocumentOptions): TextDocument {
  return new FollowedDocument(options);
}

class FollowedDocument implements TextDocument {
  readonly path: string;
  readonly #workspace: DocumentWorkspace;
  readonly #buffer: TextBuffer;
  readonly #onState: TextDocumentOptions['onState'];
  readonly #following: Disposable;
  #state: TextDocumentState = { kind: 'loading' };
  /** The last text that both sides had: the base of a merge. */
  #base: FileContent = { text: '', version: 0, mode: 0o644 };
  readonly #inTurn = createSerialQueue();
  #isDisposed = false;

  constructor({ workspace, path, buffer, onState }: TextDocumentOptions) {
    this.path = path;
    this.#workspace = workspace;
    this.#buffer = buffer;
    this.#onState = onState;
    this.#following = workspace.onChange((event) => this.#hear(event));
    void this.#inTurn(() => this.#load());
  }

  edited(): void {
    if (this.#state.kind === 'saved' || this.#state.kind === 'failed') {
      this.#setState({ kind: 'unsaved' });
    }
  }

  flush(): Promise<void> {
    return this.#inTurn(() => this.#write());
  }

  async save(): Promise<void> {
    await this.flush();
    // Text was typed during the save, so it is saved as well.
    if (this.#state.kind === 'unsaved') await this.save();
  }

  async keepMine(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#state.kind !== 'conflict') return;
      // If the file can't be read as text, there is nothing to preserve.
      const theirs = await readText(this.#workspace, this.path).catch(() => undefined);
      if (this.#isDisposed) return;
      const mine = this.#buffer.getText();
      if (theirs && theirs.text !== mine) {
        this.#buffer.replaceText(theirs.text);
        this.#buffer.replaceText(mine);
      }
      this.#base = theirs ?? { ...this.#base, version: await this.#readVersion() };
      this.#setState({ kind: 'unsaved' });
    });
    await this.save();
  }

  takeTheirs(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state.kind !== 'conflict') return;
      if (!this.#state.isDeleted) return this.#load((text) => this.#buffer.replaceText(text));
      const message = 'This file was deleted. What you wrote is still here.';
      this.#setState({ kind: 'unreadable', message, canRestore: true });
    });
  }

  async restore(): Promise<void> {
    if (this.#state.kind !== 'unreadable' || !this.#state.canRestore) return;
    await this.#inTurn(async () => {
      this.#base = { ...this.#base, version: await this.#readVersion() };
      this.#setState({ kind: 'unsaved' });
    });
    await this.save();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#following[Symbol.dispose]();
  }

  #setState(state: TextDocumentState): void {
    this.#state = state;
    if (!this.#isDisposed) tellSafely(this.#onState, state);
  }

  async #load(take = (text: string) => this.#buffer.setText(text)): Promise<void> {
    try {
      const content = await readText(this.#workspace, this.path);
      if (this.#isDisposed) return;
      this.#base = content;
      if (content.text !== this.#buffer.getText()) take(content.text);
      this.#setState({ kind: 'saved' });
    } catch (error) {
      this.#setState({ kind: 'unreadable', message: toSentence(error) });
    }
  }

  /** Loads a file that was missing. Earlier unsaved text stays in the undo history. */
  async #loadAnew(): Promise<void> {
    const { text: saved } = this.#base;
    return this.#load((text) => {
      if (this.#buffer.getText() === saved) this.#buffer.setText(text);
      else this.#buffer.replaceText(text);
    });
  }

  /** Also writes after disposal, so that the last typed text is saved. */
  async #write(): Promise<void> {
    if (this.#state.kind !== 'unsaved' && this.#state.kind !== 'failed') return;
    this.#setState({ kind: 'saving' });
    const text = this.#buffer.getText();
    const { version: baseVersion, mode } = this.#base;
    const content = new TextEncoder().encode(text);
    const at = { path: this.path, baseVersion, mode, mtimeMs: Date.now() };
    try {
      const { seq } = await this.#workspace.commit(
        { baseSeq: this.#workspace.seq(), changes: [{ ...at, type: 'write', content }] },
        { author: { kind: 'user' } },
      );
      this.#base = { text, version: seq, mode };
      this.#setState({ kind: this.#buffer.getText() === text ? 'saved' : 'unsaved' });
    } catch (error) {
      if (hasCode(error, 'ECONFLICT')) {
        this.#setState({ kind: 'unsaved' });
        await this.#bringIn();
        await this.#write();
      } else {
        this.#setState({ kind: 'failed', message: toSentence(error) });
      }
    }
  }

  #hear({ root, changes }: ChangeEvent): void {
    if (root !== 'main') return;
    // The last change counts: a deleted file, or a directory above it, may have been created again.
    const change = changes.findLast(
      ({ path, type }) =>
        path === this.path || (type === 'delete' && this.path.startsWith(`${path}/`)),
    );
    if (!change) return;
    void this.#inTurn(async () => {
      // Queued, so that a save under way first recognizes its own record.
      if (this.#isDisposed || change.version <= this.#base.version) return;
      if (this.#state.kind === 'conflict') return this.#setConflict();
      if (this.#state.kind === 'unreadable') return this.#loadAnew();
      await this.#bringIn();
      // A merged text is saved at once, not with the next edit.
      await this.#write();
    });
  }

  /** Merges the changes of others with unsaved text. */
  async #bringIn(): Promise<void> {
    let theirs: FileContent;
    try {
      theirs = await readText(this.#workspace, this.path);
    } catch (error) {
      if (this.#state.kind !== 'saved') return this.#setConflict();
      const isGone = hasCode(error, 'ENOENT');
      const message = isGone ? 'This file was deleted.' : toSentence(error);
      return this.#setState({ kind: 'unreadable', message });
    }
    // No await from here on, so that no key press can intervene.
    const mine = this.#buffer.getText();
    const merged = mergeText(this.#base.text, mine, theirs.text);
    if (merged.type === 'conflict' || this.#isDisposed) return this.#setConflict();
    this.#base = theirs;
    if (merged.text !== mine) this.#buffer.setText(merged.text);
    this.#setState({ kind: merged.text === theirs.text ? 'saved' : 'unsaved' });
  }

  async #setConflict(): Promise<void> {
    const isThere = await this.#workspace.fs.access(this.path).then(
      () => true,
      () => false,
    );
    this.#setState({ kind: 'conflict', isDeleted: !isThere });
  }

  async #readVersion(): Promise<number> {
    const [version = 0] = await this.#workspace.versions([this.path]);
    return version;
  }
}

/** Reads the text and its version. Reads again if the file changes in between. */
async function readText({ fs }: Pick<Workspace, 'fs'>, path: string): Promise<FileContent> {
  for (;;) {
    const stats = await fs.stat(path);
    if (stats.size > maxBytes) {
      const megabytes = (stats.size / 1024 / 1024).toFixed(1);
      throw new SdkError('invalid-input', `This file has ${megabytes} MB: too large to edit here.`);
    }
    const bytes = await fs.readFile(path);
    const after = await fs.stat(path);
    if (after.version === stats.version) {
      // A change only has the permission bits, without the type bits.
      return { text: decode(bytes), version: stats.version, mode: stats.mode & 0o7777 };
    }
  }
}

/** A byte order mark stays in the text, so that saving writes it back. */
function decode(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new SdkError('invalid-input', 'This file is not text, so there is nothing to edit.');
}

function toSentence(error: unknown): string {
  return error instanceof Error || SdkError.isInstance(error) ? error.message : String(error);
}
