// What a page in a preview and the page around it say to each other: a closed list. The page in the frame is
// hostile: read-from-frame.ts checks what it says. What the page around it says is our own.

export type FrameAction =
  | { readonly type: 'read' }
  | { readonly type: 'click'; readonly ref: string }
  | { readonly type: 'type'; readonly ref: string; readonly text: string }
  | { readonly type: 'press'; readonly key: string; readonly ref?: string };

/** What is known of a module: its code as the loader of cells takes it, or what stands in for one. */
export type FoundModule =
  | {
      readonly type: 'module';
      readonly path: string;
      readonly kind: 'code' | 'json' | 'style' | 'asset';
      /** JavaScript, JSON, CSS, or a `data:` address. */
      readonly text: string;
    }
  /** The page has it already. */
  | { readonly type: 'known'; readonly path: string }
  | { readonly type: 'none'; readonly message: string };

/** A module by what names it, by the file where that stands, and by how it is asked for. */
export type WantedModule = readonly [
  specifier: string,
  importer: string,
  request: 'import' | 'require',
];

export interface FrameMessage {
  readonly level: 'debug' | 'log' | 'info' | 'warn' | 'error' | 'request';
  readonly text: string;
}

/** From the page in the frame. */
export type FromFrame =
  | { readonly type: 'started' }
  /** Its document was replaced, so nothing of it answers any more. */
  | { readonly type: 'left' }
  | { readonly type: 'page'; readonly id: number; readonly title: string; readonly tree: string }
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
      /** The address as the page has it. */
      readonly address: string;
      /** True for a person's own click, according to the page. */
      readonly isPersons: boolean;
    };

/** To the page in the frame. */
export type ToFrame =
  | { readonly type: 'ask'; readonly id: number; readonly action: FrameAction }
  | { readonly type: 'modules'; readonly id: number; readonly found: readonly FoundModule[] }
  | {
      readonly type: 'file';
      readonly id: number;
      /** Left out: there is no such file. */
      readonly file?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly mediaType: string };
    }
  | {
      readonly type: 'link';
      readonly id: number;
      /** Why it isn't followed. One that is followed has no answer: the page is closed. */
      readonly message: string;
    };

/** From the outer frame: whether this document is still there. The same is the answer. */
export interface IsStill {
  readonly appFrame: 'still';
}

/** What runs when the document is there, in this order: modules by their names, and plain scripts. */
export type FrameEntry =
  | { readonly type: 'module'; readonly specifier: string }
  | { readonly type: 'script'; readonly path: string; readonly code: string };

export interface FrameSetup {
  /** The HTML file. */
  readonly path: string;
  /** The fragment of the link that led here, with its `#`; otherwise empty. */
  readonly hash: string;
  readonly entries: readonly FrameEntry[];
}
