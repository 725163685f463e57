// The port to a preview, which shows a page of the workspace's app on the person's screen. A host gives it as
// `host.preview`; the tool WebBrowser uses it.

/**
 * The files that a page may load: those that the caller of `open` may read. A call's `fs` and a workspace's `fs`
 * implement it.
 */
export interface PreviewFiles {
  /** Rejects with an SdkError that has Node's code: `ENOENT` for a file that doesn't exist or may not be read. */
  readFile(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<{ isFile(): boolean; isDirectory(): boolean; readonly size: number }>;
  /** The names of what is in a directory. Left out: `import.meta.glob` finds nothing. */
  readdir?(path: string): Promise<readonly string[]>;
}

/** An element by its `ref` of the last {@link PreviewPage.tree}, or a place on the screen in pixels. */
export interface PreviewTarget {
  readonly ref?: string;
  readonly coordinate?: readonly [x: number, y: number];
}

/** A key that is held down meanwhile. */
export type PreviewModifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

/** A file that a page is given. */
export interface PreviewUpload {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An action on the open page. */
export type PreviewAction =
  /** With a `ref`, only that element and what is in it. */
  | { readonly type: 'read'; readonly ref?: string }
  /** Lists only what has the text in its line, whether on the screen or not. */
  | { readonly type: 'find'; readonly text: string }
  | ({
      readonly type: 'click';
      readonly button?: 'left' | 'middle' | 'right';
      readonly doubleClick?: boolean;
      readonly modifiers?: readonly PreviewModifier[];
    } & PreviewTarget)
  /** Moves the pointer there. It stays there until it is moved again. */
  | ({ readonly type: 'hover' } & PreviewTarget)
  | { readonly type: 'drag'; readonly from: PreviewTarget; readonly to: PreviewTarget }
  /** Replaces the text of a field. In a list of options it selects the option with that label or value. */
  | { readonly type: 'type'; readonly ref: string; readonly text: string }
  /**
   * Presses a key, named as in `KeyboardEvent.key`, also with others: `Control+a`. Without `ref` the element with the
   * focus gets it. `time`: how many seconds it is held.
   */
  | { readonly type: 'press'; readonly key: string; readonly ref?: string; readonly time?: number }
  /** Chooses the files of a field, or drops them on another element. */
  | { readonly type: 'upload'; readonly ref: string; readonly files: readonly PreviewUpload[] }
  /** Until a text is there, or isn't any more, at most `time` seconds, by default 10. Without a text: all of the time. */
  | {
      readonly type: 'wait';
      readonly text?: string;
      readonly textGone?: string;
      readonly time?: number;
    }
  /** How `confirm` and `prompt` answer from now on. */
  | { readonly type: 'dialog'; readonly accept: boolean; readonly text?: string }
  | PreviewScroll
  /** Gives the page a viewport of this size, also after it is opened again. Without a size: that of its place. */
  | { readonly type: 'resize'; readonly size?: PreviewSize }
  /** Shows the page as a person sees it who has chosen that, also after it is opened again. Left out: as they have. */
  | { readonly type: 'emulate'; readonly colorScheme?: PreviewColorScheme };

/** The colours that a page is shown in: what `prefers-color-scheme` answers. */
export type PreviewColorScheme = 'light' | 'dark';

/**
 * Without a direction, `ref` is scrolled into view. With one, what scrolls around `ref` is scrolled; without a `ref`,
 * the page.
 */
export interface PreviewScroll {
  readonly type: 'scroll';
  readonly ref?: string;
  readonly direction?: PreviewDirection;
  /** In pixels. @defaultValue seven eighths of what is shown */
  readonly amount?: number;
}

/** Where to scroll to. */
export type PreviewDirection = 'up' | 'down' | 'left' | 'right';

/** The size of a page's viewport, in pixels: integers of 100 to 4 000. */
export interface PreviewSize {
  readonly width: number;
  readonly height: number;
}

/** How many pixels of the page aren't shown, on each side. */
export interface PreviewRest {
  readonly above: number;
  readonly below: number;
  readonly left: number;
  readonly right: number;
}

/**
 * Which lines a {@link PreviewPage.tree} has. `interactive`: only those with a ref, without what is around them.
 * `changed`: only those that the last list of `all` or `changed` didn't have, each below those that it is in, and
 * those that are gone. A host may list more than it is asked for.
 */
export type PreviewFilter = 'all' | 'interactive' | 'changed';

/** The page when it no longer changes, or after some seconds. All of it is untrusted: the page itself reports it. */
export interface PreviewPage {
  /** The HTML file, absolute. */
  readonly path: string;
  readonly title: string;
  /**
   * One line for each element, as assistive technology sees it: role, name, state, and a ref if actions on it are
   * possible.
   */
  readonly tree: string;
  /** The part of the page that is shown. Left out by a host that doesn't know it. */
  readonly view?: PreviewSize & PreviewRest;
  /** How many messages of the console nobody has read yet. */
  readonly unread: { readonly errors: number; readonly others: number };
}

/** What a picture shows, if not just what a person sees of the page. */
export interface PreviewPictureOptions {
  readonly signal?: AbortSignal;
  /** The whole page from its top. It is made smaller, as far as to a quarter, before its end is left out. */
  readonly fullPage?: boolean;
  /** One element, which is scrolled into view. */
  readonly ref?: string;
}

/** A picture of the page. All of it is untrusted. */
export interface PreviewPicture {
  /** The HTML file, absolute. */
  readonly path: string;
  /** At most 1 568 pixels a side. One pixel is one of CSS, unless what it shows is larger than that. */
  readonly png: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  /** What the picture doesn't show of the page, in pixels of CSS. */
  readonly rest: PreviewRest;
  /** How many of them the picture doesn't show. A canvas counts if nothing is drawn on it. */
  readonly missing: {
    readonly videos: number;
    readonly frames: number;
    readonly canvases: number;
  };
}

/** `request`: a file wasn't loaded, with the reason. */
export type PreviewMessageLevel = 'debug' | 'log' | 'info' | 'warn' | 'error' | 'request';

/** A message of a page's console. Its text is untrusted. */
export interface PreviewMessage {
  readonly level: PreviewMessageLevel;
  readonly text: string;
}

/** The messages of a page's console. */
export interface PreviewConsole {
  readonly path: string;
  /** The messages since the last request for them, oldest first. */
  readonly messages: readonly PreviewMessage[];
  /** How many older messages were dropped. */
  readonly dropped: number;
}

/**
 * A preview shows one page at a time. Concurrent requests are carried out one after the other. All methods reject
 * with an SdkError whose message says what to do. Its code is one of these:
 *
 * - `ENOENT` for a file that doesn't exist;
 * - `invalid-input` for a file that isn't a page, and for an element that doesn't exist or can't be acted on;
 * - `bad-usage` if no page is open;
 * - `limit-exceeded` if the page doesn't answer, or sends too many messages; the page is then closed;
 * - `unsupported-environment` and `aborted`.
 */
export interface Preview {
  /**
   * Shows an HTML file in place of the page before. The page loads its files by `files`, now and later. To see
   * changes, open the same file again.
   */
  open(
    path: string,
    options: {
      readonly files: PreviewFiles;
      readonly signal?: AbortSignal;
      readonly filter?: PreviewFilter;
    },
  ): Promise<PreviewPage>;
  /** @param options `filter`: `all` by default. It doesn't hold for `find`. */
  act(
    action: PreviewAction,
    options?: { readonly signal?: AbortSignal; readonly filter?: PreviewFilter },
  ): Promise<PreviewPage>;
  /** What is shown of the page. Left out by a host that can't draw it. */
  screenshot?(options?: PreviewPictureOptions): Promise<PreviewPicture>;
  readConsole(): Promise<PreviewConsole>;
}
