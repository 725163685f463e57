// The messages between a previewed page and the host page: a closed list. The page is hostile, so
// read-from-frame.ts validates its messages. Those of the host page are trusted.

import type { CompiledComponent } from './components.ts';
import type {
  PreviewAction,
  PreviewColorScheme,
  PreviewMessage,
  PreviewPicture,
  PreviewPictureOptions,
  PreviewRest,
  PreviewSize,
  PreviewUpload,
} from '../../../../core/host-ports/preview.ts';

export type { CompiledComponent };

/** The global that modules read `location` from. */
export const pageName = '__previewPage';

export type FrameAction =
  | Exclude<PreviewAction, { readonly type: 'resize' | 'upload' }>
  | { readonly type: 'upload'; readonly ref: string; readonly files: readonly FrameUpload[] }
  /** The frame has this size, or gets it within moments. */
  | ({ readonly type: 'resize' } & PreviewSize)
  | ({ readonly type: 'screenshot' } & PictureWanted);

export type FrameUpload = PreviewUpload & { readonly mediaType: string };

export type PictureWanted = Omit<PreviewPictureOptions, 'signal'>;

/** The part of the page that is shown. */
export type FrameView = PreviewSize & PreviewRest;

/** A resolved module: its code in the form of the cells' loader, or a placeholder. */
export type FoundModule =
  | {
      readonly type: 'module';
      readonly path: string;
      readonly kind: 'code' | 'component' | 'json' | 'style' | 'asset';
      /** JavaScript, a component as it was written, JSON, CSS, or the value of an asset: a `data:` URL, or another text. */
      readonly text: string;
      /** The names of a CSS module's classes in the page, by those in its file. */
      readonly names?: Readonly<Record<string, string>>;
      /** Those of a component, as CSS. */
      readonly styles?: readonly string[];
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

export type FrameMessage = PreviewMessage;

export interface FramePicture extends Pick<PreviewPicture, 'rest' | 'missing'> {
  /** A `data:` URL. */
  readonly png: string;
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
  /** What the page has compiled a component to. The answer is that of `modules`. */
  | ({ readonly type: 'compiled'; readonly id: number; readonly path: string } & CompiledComponent)
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
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly action: FrameAction;
      /** Only what can be acted on is listed. */
      readonly isInteractive: boolean;
    }
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
  /** The directory that the address begins at. */
  readonly root: string;
  /** The query of the link that led here with its `?`, or empty. */
  readonly query: string;
  /** The fragment of the link that led here with its `#`, or empty. */
  readonly hash: string;
  /** What the page is shown in. Left out: as the browser has it. */
  readonly colorScheme?: PreviewColorScheme;
  /** What `import.meta.env` has of the project's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly entries: readonly FrameEntry[];
}
