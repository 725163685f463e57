// Limits of a remote server's data and time. The client checks them as bytes and lists arrive.

/** Hosts can change them, for tests and unusual servers. */
export interface McpBounds {
  /** The maximum bytes of one answer, or of one event of a stream. */
  readonly messageBytes: number;
  /** The maximum characters of all pages of a list, as JSON. */
  readonly listChars: number;
  readonly tools: number;
  /** The maximum characters of a tool's input schema, as JSON. */
  readonly schemaChars: number;
  /** The maximum depth of a schema. */
  readonly schemaDepth: number;
  /** The maximum characters of a tool's description, or a server's instructions, for the model. */
  readonly descriptionChars: number;
  /** The maximum characters of an app's page. */
  readonly appChars: number;
  /** The time limit for connecting and listing the tools, in milliseconds. */
  readonly connectMs: number;
  /**
   * The time limit for each step of a login, in milliseconds: until there is a URL to open, or
   * until there are tokens.
   */
  readonly loginMs: number;
  /** The time limit of a call in milliseconds, even if it reports progress. */
  readonly callMs: number;
  /** The maximum number of requests for input in one call. */
  readonly inputRounds: number;
}

export const defaultBounds: McpBounds = {
  // 10 MB: three images of the largest size that the API accepts.
  messageBytes: 10 * 1024 * 1024,
  listChars: 20 * 1024 * 1024,
  tools: 1_000,
  schemaChars: 64 * 1024,
  schemaDepth: 64,
  descriptionChars: 2_000,
  // 2 MB: a page with a 3D library. It is stored with the session.
  appChars: 2 * 1024 * 1024,
  connectMs: 10_000,
  // The same as for connecting, which begins with one request and ends with two more.
  loginMs: 10_000,
  callMs: 60_000,
  inputRounds: 10,
};
