// A file on its way to the person, as SendUserFile hands it to the host. Said here so that the tool, the options and
// the context of a call name one type.

/** What the person is given: a copy, of the moment in which it was sent. */
export interface UserFile {
  /** Absolute, in the workspace. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  /** The host's to keep. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the model says of it. */
  readonly note?: string;
}

/**
 * Gives the person a file: as a download of the page, by mail, as a file beside the program. Resolves when it is on
 * its way; what it rejects with is the reason that the model is told. `signal` is aborted when the call is cut.
 */
export type OnUserFile = (
  file: UserFile,
  options: { readonly signal: AbortSignal },
) => void | Promise<void>;
