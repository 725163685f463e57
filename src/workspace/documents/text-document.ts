// One text file between an editor and the workspace. It loads the file, and saves what is typed as
// a compare-and-set commit. It brings in what others change, merged by lines with what is unsaved.
// Nothing is ever overwritten unseen.
import { SdkError } from '../../core/errors.ts';
import { tellSafely } from '../../core/async/surface.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { mergeText } from '../../text/merge-text.ts';
import type { ChangeEvent, Workspace } from '../workspace.ts';
import type { OpenDocument } from './open-documents.ts';

/** The editor, as far as a document needs it. */
export interface TextBuffer {
  getText(): string;
  /**
   * Replaces the text without calling {@link TextDocument.edited}, and without a step that undo takes back. Change only
   * what `findTextEdits` finds, so that cursor and undo history stay where they are.
   */
  setText(text: string): void;
  /** The same as an edit that can be undone. */
  replaceText(text: string): void;
}

/** What a person sees of it. */
export type TextDocumentState =
  | { readonly kind: 'loading' | 'saved' | 'unsaved' | 'saving' }
  /**
   * Both sides changed the same lines while edits were unsaved; `isDeleted`: there is nothing to take over. The
   * person decides.
   */
  | { readonly kind: 'conflict'; readonly isDeleted: boolean }
  /** Not text, too large, gone: there is nothing to edit. */
  | {
      readonly kind: 'unreadable';
      readonly message: string;
      /** The person's text is still here: {@link TextDocument.restore} writes it. */
      readonly canRestore?: boolean;
    }
  /** Saving failed for another reason; the edits are still here. */
  | { readonly kind: 'failed'; readonly message: string };

/** Dispose it when the editor goes; save it before. */
export interface TextDocument extends OpenDocument, Disposable {
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

/** What a document needs of its workspace: give it the host's. */
export type DocumentWorkspace = Pick<Workspace, 'fs' | 'versions' | 'seq' | 'commit' | 'onChange'>;

/** The file and its editor. */
export interface TextDocumentOptions {
  /** The workspace, or the files of a session elsewhere, as `followFiles` of rockpool/wire gives them. */
  readonly workspace: DocumentWorkspace;
  /** Absolute. */
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

/** Loads the file at once, and follows it. Add it to the host's `documents`, so that calls see what is typed. */
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
  /** What both sides last had: the ancestor of a merge. */
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
    // Typed on while it was saved: that is saved too.
    if (this.#state.kind === 'unsaved') await this.save();
  }

  async keepMine(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#state.kind !== 'conflict') return;
      // Nothing of the other side is lost where it isn't there, or is no text.
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

  /**
   * Loads a file that was away. Text that the person wrote before and that isn't saved anywhere
   * stays in the undo history.
   */
  async #loadAnew(): Promise<void> {
    const { text: saved } = this.#base;
    return this.#load((text) => {
      if (this.#buffer.getText() === saved) this.#buffer.setText(text);
      else this.#buffer.replaceText(text);
    });
  }

  /** A disposed document still writes what was typed last. */
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
      if (SdkError.isInstance(error) && error.code === 'ECONFLICT') {
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
    // The last one: what was deleted, with a directory above it perhaps, may have been made again.
    const change = changes.findLast(
      ({ path, type }) =>
        path === this.path || (type === 'delete' && this.path.startsWith(`${path}/`)),
    );
    if (!change) return;
    void this.#inTurn(async () => {
      // Queued, so that a save under way decides first whether this is its own record.
      if (this.#isDisposed || change.version <= this.#base.version) return;
      if (this.#state.kind === 'conflict') return this.#setConflict();
      if (this.#state.kind === 'unreadable') return this.#loadAnew();
      await this.#bringIn();
      // A merge isn't left to be saved by the next edit.
      await this.#write();
    });
  }

  /** What others have made of the file, merged with what is unsaved. */
  async #bringIn(): Promise<void> {
    let theirs: FileContent;
    try {
      theirs = await readText(this.#workspace, this.path);
    } catch (error) {
      if (this.#state.kind !== 'saved') return this.#setConflict();
      const isGone = SdkError.isInstance(error) && error.code === 'ENOENT';
      const message = isGone ? 'This file was deleted.' : toSentence(error);
      return this.#setState({ kind: 'unreadable', message });
    }
    // From here on without a pause: a key that is pressed comes before or behind it.
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

/** The text and the version that it has: read again when the file changes in between. */
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
