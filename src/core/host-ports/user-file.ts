// A file for the person, which SendUserFile gives to the host. Declared here so that the tool, the options and the
// context of a call share one type.

/** The file that the person gets: a copy from the moment of the call. */
export interface UserFile {
  /** Absolute, in the workspace. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  /** The host may keep these bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The model's note about the file. */
  readonly note?: string;
}

/**
 * Gives the person a file: as a download of the page, by mail, or as a file beside the program. Resolves when it is
 * sent. If it rejects, the model is told the reason. `signal` is aborted when the call is cut.
 */
export type OnUserFile = (
  file: UserFile,
  options: { readonly signal: AbortSignal },
) => void | Promise<void>;
