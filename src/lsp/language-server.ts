// The port to a language server, and the types of the Language Server Protocol that it uses. The
// tool LSP calls it. TypeScript's service and servers behind a message port implement it.

/** Zero-based, in UTF-16 units, as in the protocol. */
export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

/** `end` is exclusive. */
export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

/** A place in a file. */
export interface LspLocation {
  readonly uri: string;
  readonly range: LspRange;
}

/** 1 error, 2 warning, 3 information, 4 hint. */
export interface LspDiagnostic {
  readonly range: LspRange;
  readonly severity?: 1 | 2 | 3 | 4;
  readonly code?: string | number;
  readonly source?: string;
  readonly message: string;
}

/** All diagnostics of one file. */
export interface LspFileDiagnostics {
  readonly uri: string;
  readonly items: readonly LspDiagnostic[];
}

/** `contents` as the protocol allows: a text, or texts with a language. */
export interface LspHover {
  readonly contents: LspMarkup | readonly LspMarkup[];
  readonly range?: LspRange;
}

/** A text of a hover. */
export type LspMarkup =
  | string
  | { readonly kind: 'markdown' | 'plaintext'; readonly value: string }
  | { readonly language: string; readonly value: string };

/** `kind` by the protocol's numbers: 5 class, 12 function, … */
export interface LspDocumentSymbol {
  readonly name: string;
  readonly kind: number;
  readonly range: LspRange;
  readonly selectionRange: LspRange;
  readonly children?: readonly LspDocumentSymbol[];
}

/**
 * A symbol and its location, from `workspace/symbol`, and from `textDocument/documentSymbol` of
 * older servers.
 */
export interface LspSymbolInformation {
  readonly name: string;
  readonly kind: number;
  readonly location: LspLocation;
  readonly containerName?: string;
}

/** An item of a call hierarchy. `data` is the server's own value. */
export interface LspCallHierarchyItem {
  readonly name: string;
  readonly kind: number;
  readonly uri: string;
  readonly range: LspRange;
  readonly selectionRange: LspRange;
  readonly data?: unknown;
}

/** One caller, with the locations of its calls. */
export interface LspIncomingCall {
  readonly from: LspCallHierarchyItem;
  readonly fromRanges: readonly LspRange[];
}

/** One called function, with the locations of the calls. */
export interface LspOutgoingCall {
  readonly to: LspCallHierarchyItem;
  readonly fromRanges: readonly LspRange[];
}

/**
 * The methods of the port. `workspace/diagnostic` gives {@link LspFileDiagnostics} as its `items`.
 */
export type LanguageMethod =
  | 'textDocument/diagnostic'
  | 'workspace/diagnostic'
  | 'textDocument/definition'
  | 'textDocument/implementation'
  | 'textDocument/references'
  | 'textDocument/hover'
  | 'textDocument/documentSymbol'
  | 'workspace/symbol'
  | 'textDocument/prepareCallHierarchy'
  | 'callHierarchy/incomingCalls'
  | 'callHierarchy/outgoingCalls';

/** The parameters of all methods. Each method needs some of them. */
export interface LanguageParams {
  readonly textDocument?: { readonly uri: string };
  readonly position?: LspPosition;
  readonly context?: { readonly includeDeclaration: boolean };
  readonly query?: string;
  readonly item?: LspCallHierarchyItem;
}

/**
 * The files of one call, as a server may see them: at the call's version of the workspace, without
 * denied files. All paths are absolute. Valid only for one request.
 */
export interface LanguageFiles {
  /** The working directory of the session. */
  readonly cwd: string;
  isFile(path: string): boolean;
  isDirectory(path: string): boolean;
  /** Undefined if there is no such file. */
  readText(path: string): string | undefined;
  /** A text that changes with the file's content. Undefined if there is no such file. */
  versionOf(path: string): string | undefined;
  /** The names in a directory, without denied ones. Empty if there is no directory. */
  list(path: string): {
    readonly files: readonly string[];
    readonly directories: readonly string[];
  };
  /** The path with links followed; the path itself if it doesn't exist. */
  realPath(path: string): string;
}

/** The options of a request. */
export interface LanguageRequestOptions {
  readonly files: LanguageFiles;
  /** An abort ends the request, which then rejects. */
  readonly signal: AbortSignal;
  /**
   * In the time of `performance.now()`. A server that computes without yielding must stop by itself
   * then.
   */
  readonly deadline: number;
  /** Called with a short text about slow work: "loading TypeScript". */
  onProgress(what: string): void;
  /** Called with the scope of the answer if that isn't obvious: "tsconfig.json", "no tsconfig.json above it". */
  onScope(scope: string): void;
}

/**
 * A server for some kinds of files. It may get several calls at once, and answers each from that
 * call's `files`. Results that it can't relate to these files are left out, or the request rejects.
 */
export interface LanguageServer {
  /** Its name for the model and for people: `typescript`. */
  readonly id: string;
  /**
   * Globs of the supported files, as in Glob: `*.ts`. The first server that supports a file is
   * used.
   */
  readonly files: readonly string[];
  /**
   * Resolves to the protocol's result of the method, or null. Rejects with an SdkError:
   * `invalid-input` for an unsupported method; `limit-exceeded` at the deadline; `aborted`.
   */
  request(
    method: LanguageMethod,
    params: LanguageParams,
    options: LanguageRequestOptions,
  ): Promise<unknown>;
  /** The text of one of the server's own URIs, such as a library's file. */
  readOwnText?(uri: string): string | undefined;
  /** Releases all resources. A later request starts again. */
  release?(): void;
}
