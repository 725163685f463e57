// The messages between a previewed page and the host page: a closed list. The page is hostile, so
// read-from-frame.ts validates its messages. Those of the host page are trusted.

export type FrameAction =
  | { readonly type: 'read' }
  | { readonly type: 'click'; readonly ref: string }
  | { readonly type: 'type'; readonly ref: string; readonly text: string }
  | { readonly type: 'press'; readonly key: string; readonly ref?: string }
  | FrameScroll
  /** The frame has this size, or gets it within moments. */
  | { readonly type: 'resize'; readonly width: number; readonly height: number }
  | ({ readonly type: 'screenshot' } & PictureWanted);

export interface FrameScroll {
  readonly type: 'scroll';
  readonly ref?: string;
  readonly direction?: 'up' | 'down' | 'left' | 'right';
  readonly amount?: number;
}

export interface PictureWanted {
  readonly fullPage?: boolean;
}

/** How many pixels of the page aren't shown, on each side. */
export interface FrameRest {
  readonly above: number;
  readonly below: number;
  readonly left: number;
  readonly right: number;
}

/** The part of the page that is shown. */
export interface FrameView extends FrameRest {
  readonly width: number;
  readonly height: number;
}

/** A resolved module: its code in the form of the cells' loader, or a placeholder. */
export type FoundModule =
  | {
      readonly type: 'module';
      readonly path: string;
      readonly kind: 'code' | 'json' | 'style' | 'asset';
      /** JavaScript, JSON, CSS, or a `data:` URL. */
      readonly text: string;
    }
  /** The page already has it. */
  | { readonly type: 'known'; readonly path: string }
  | { readonly type: 'none'; readonly message: string };

/** A module request: the specifier, the importing file, and how it is requested. */
export type WantedModule = readonly [
  specifier: string,
  importer: string,
  request: 'import' | 'require',
];

export interface FrameMessage {
  readonly level: 'debug' | 'log' | 'info' | 'warn' | 'error' | 'request';
  readonly text: string;
}

export interface FramePicture {
  /** A `data:` URL. */
  readonly png: string;
  readonly rest: FrameRest;
  readonly missing: MissingParts;
}

/** How many of them a picture doesn't show. */
export interface MissingParts {
  readonly videos: number;
  readonly frames: number;
  readonly canvases: number;
}

/** From the previewed page. */
export type FromFrame =
  | { readonly type: 'started' }
  /** The document was replaced and can't answer any more. */
  | { readonly type: 'left' }
  | {
      readonly type: 'page';
      readonly id: number;
      readonly title: string;
      readonly tree: string;
      readonly view: FrameView;
    }
  | ({ readonly type: 'picture'; readonly id: number } & FramePicture)
  | { readonly type: 'refused'; readonly id: number; readonly message: string }
  | {
      readonly type: 'console';
      readonly messages: readonly FrameMessage[];
      readonly dropped: number;
    }
  | { readonly type: 'modules'; readonly id: number; readonly wanted: readonly WantedModule[] }
  | { readonly type: 'file'; readonly id: number; readonly url: string }
  | {
      readonly type: 'link';
      readonly id: number;
      /** The address as written in the page. */
      readonly address: string;
      /** True if the page claims that a person clicked. */
      readonly isPersons: boolean;
    };

/** To the previewed page. */
export type ToFrame =
  | { readonly type: 'ask'; readonly id: number; readonly action: FrameAction }
  | { readonly type: 'modules'; readonly id: number; readonly found: readonly FoundModule[] }
  | {
      readonly type: 'file';
      readonly id: number;
      /** Left out if there is no such file. */
      readonly file?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly mediaType: string };
    }
  | {
      readonly type: 'link';
      readonly id: number;
      /** Why it isn't opened. An opened address gets no answer, because the page is closed. */
      readonly message: string;
    };

/**
 * From the outer frame: asks whether this document still exists. The answer is the same message.
 */
export interface IsStill {
  readonly appFrame: 'still';
}

/** Entries run when the document is complete, in order: modules by name, and plain scripts. */
export type FrameEntry =
  | { readonly type: 'module'; readonly specifier: string }
  | { readonly type: 'script'; readonly path: string; readonly code: string };

export interface FrameSetup {
  /** The HTML file. */
  readonly path: string;
  /** The fragment of the link that led here with its `#`, or empty. */
  readonly hash: string;
  readonly entries: readonly FrameEntry[];
}
