// The port to a language server, and the shapes of the Language Server Protocol that cross it. The tool LSP asks by
// it; TypeScript's service and servers behind a message port answer.

/** Zero-based, in UTF-16 units, as the protocol has it. */
export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

/** `end` is the first place behind it. */
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

/** All that is known of one file's faults. */
export interface LspFileDiagnostics {
  readonly uri: string;
  readonly items: readonly LspDiagnostic[];
}

/** `contents` as the protocol allows them: a text, or texts with their language. */
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

/** A symbol and its place, as `workspace/symbol` gives it, and older servers `textDocument/documentSymbol`. */
export interface LspSymbolInformation {
  readonly name: string;
  readonly kind: number;
  readonly location: LspLocation;
  readonly containerName?: string;
}

/** What a call hierarchy is asked about. `data` is the server's own. */
export interface LspCallHierarchyItem {
  readonly name: string;
  readonly kind: number;
  readonly uri: string;
  readonly range: LspRange;
  readonly selectionRange: LspRange;
  readonly data?: unknown;
}

/** One caller, with the places in it that call. */
export interface LspIncomingCall {
  readonly from: LspCallHierarchyItem;
  readonly fromRanges: readonly LspRange[];
}

/** One function that is called, with the places that call it. */
export interface LspOutgoingCall {
  readonly to: LspCallHierarchyItem;
  readonly fromRanges: readonly LspRange[];
}

/** What a server is asked. `workspace/diagnostic` gives {@link LspFileDiagnostics} as its `items`. */
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

/** The protocol's params of all methods, each with those that it needs. */
export interface LanguageParams {
  readonly textDocument?: { readonly uri: string };
  readonly position?: LspPosition;
  readonly context?: { readonly includeDeclaration: boolean };
  readonly query?: string;
  readonly item?: LspCallHierarchyItem;
}

/**
 * One call's files, as a server may see them: at the call's version of the workspace, without what rules deny. All
 * paths are absolute. It holds for one request alone.
 */
export interface LanguageFiles {
  /** The working directory of the session. */
  readonly cwd: string;
  isFile(path: string): boolean;
  isDirectory(path: string): boolean;
  /** Undefined where there is no such file. */
  readText(path: string): string | undefined;
  /** Another one for another content of the path. Undefined where there is no such file. */
  versionOf(path: string): string | undefined;
  /** The names in a directory, without those that are denied. Empty where there is none. */
  list(path: string): {
    readonly files: readonly string[];
    readonly directories: readonly string[];
  };
  /** Where links lead. The path itself where nothing stands. */
  realPath(path: string): string;
}

/** What a request comes with. */
export interface LanguageRequestOptions {
  readonly files: LanguageFiles;
  /** Ends the request: it then rejects. */
  readonly signal: AbortSignal;
  /** By `performance.now()`. A server that computes without a pause must stop by itself then. */
  readonly deadline: number;
  /** Called with a few words about what takes long: "loading TypeScript". */
  onProgress(what: string): void;
  /** Called with the scope of the answer if that isn't obvious: "tsconfig.json", "no tsconfig.json above it". */
  onScope(scope: string): void;
}

/**
 * A server for some files. It may get several calls at once, and answers each from that call's `files`. It leaves out
 * what it can't bind to them, or rejects.
 */
export interface LanguageServer {
  /** Its name for the model and for people: `typescript`. */
  readonly id: string;
  /** The files that it serves, by globs as Glob takes them: `*.ts`. The first server that serves a file is asked. */
  readonly files: readonly string[];
  /**
   * The protocol's result of the method, or null. Rejects with an SdkError: `invalid-input` for a method that it doesn't
   * have; `limit-exceeded` at the deadline; `aborted`.
   */
  request(
    method: LanguageMethod,
    params: LanguageParams,
    options: LanguageRequestOptions,
  ): Promise<unknown>;
  /** The text of a URI of its own that isn't a file of the workspace, such as a library's. */
  readOwnText?(uri: string): string | undefined;
  /** Lets go of all that it holds. It may be asked again, and then begins anew. */
  release?(): void;
}
