// The port to a preview: a page of the workspace's own app, on the screen of whoever has the host. A host gives
// one as `host.preview`; the tool WebBrowser works by it.

/** The files that a page may load, as whoever opens it may read them. A call's `fs` is one, and a workspace's. */
export interface PreviewFiles {
  /** Rejects with an SdkError with Node's code, `ENOENT` for what isn't there or may not be read. */
  readFile(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<{ isFile(): boolean; isDirectory(): boolean; readonly size: number }>;
}

/** What is done with the page that is open. `ref` is of the last {@link PreviewPage.tree}. */
export type PreviewAction =
  | { readonly type: 'read' }
  | { readonly type: 'click'; readonly ref: string }
  /** In place of what the field holds; of a list of options the one with that label or value. */
  | { readonly type: 'type'; readonly ref: string; readonly text: string }
  /** A key by its name in `KeyboardEvent.key`. Without `ref` it goes where the focus is. */
  | { readonly type: 'press'; readonly key: string; readonly ref?: string };

/** The page when it has come to rest, or after some seconds. All of it is the page's own word. */
export interface PreviewPage {
  /** The HTML file, absolute. */
  readonly path: string;
  readonly title: string;
  /** An element a line, as assistive technology has it: role, name, state, and the ref of what can be acted on. */
  readonly tree: string;
  /** Messages of the console that nobody has asked for yet. */
  readonly unread: { readonly errors: number; readonly others: number };
}

/** `request`: something wasn't loaded, and why. */
export type PreviewMessageLevel = 'debug' | 'log' | 'info' | 'warn' | 'error' | 'request';

/** A message of a page's console. Its text is the page's own word. */
export interface PreviewMessage {
  readonly level: PreviewMessageLevel;
  readonly text: string;
}

/** What a page's console had. */
export interface PreviewConsole {
  readonly path: string;
  /** Since they were last asked for, oldest first. */
  readonly messages: readonly PreviewMessage[];
  /** Older ones that weren't kept. */
  readonly dropped: number;
}

/**
 * One page at a time; what is asked at once is done one after the other. All reject with an
 * SdkError whose sentence says what to do. Its code is one of these:
 *
 * - `ENOENT` for a file that isn't there;
 * - `invalid-input` for a file that is no page and for an element that isn't there or can't be
 *   acted on;
 * - `bad-usage` where no page is open;
 * - `limit-exceeded` where the page didn't answer or wouldn't stop speaking (it is thrown away
 *   then);
 * - `unsupported-environment` and `aborted`.
 */
export interface Preview {
  /**
   * Shows an HTML file in place of the page before. What the page loads, now and later, it reads by `files`.
   * Opening the same file again shows what was changed.
   */
  open(
    path: string,
    options: { readonly files: PreviewFiles; readonly signal?: AbortSignal },
  ): Promise<PreviewPage>;
  act(action: PreviewAction, options?: { readonly signal?: AbortSignal }): Promise<PreviewPage>;
  readConsole(): Promise<PreviewConsole>;
}
