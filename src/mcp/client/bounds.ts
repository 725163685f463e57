// Limits of what a remote server may send, and of the time that it may take. The client checks them
// as bytes and lists come.

/** Hosts can set them, for tests and unusual servers. */
export interface McpBounds {
  /** The limit of one answer, or of one event of a stream, in bytes. */
  readonly messageBytes: number;
  /** The limit of all pages of a list, as JSON, in characters. */
  readonly listChars: number;
  readonly tools: number;
  /** The limit of a tool's input schema, as JSON, in characters. */
  readonly schemaChars: number;
  /** How deep a schema may nest. */
  readonly schemaDepth: number;
  /** The limit of a tool's description, or a server's instructions, as the model gets them. */
  readonly descriptionChars: number;
  /** The limit of an app's page, in characters. */
  readonly appChars: number;
  /** Milliseconds until a server has answered and listed its tools. */
  readonly connectMs: number;
  /** Milliseconds of a step of a login: until there is an address to open, or until there are tokens. */
  readonly loginMs: number;
  /** Milliseconds of a call, however much progress it reports. */
  readonly callMs: number;
  /** How often one call may ask for input. */
  readonly inputRounds: number;
}

export const defaultBounds: McpBounds = {
  // 10 MB: three pictures of the largest size that the API takes.
  messageBytes: 10 * 1024 * 1024,
  listChars: 20 * 1024 * 1024,
  tools: 1_000,
  schemaChars: 64 * 1024,
  schemaDepth: 64,
  descriptionChars: 2_000,
  // 2 MB: a page with a library for 3D inside. It is kept with the session.
  appChars: 2 * 1024 * 1024,
  connectMs: 10_000,
  // The same as a connection, which begins with one request and ends with two more.
  loginMs: 10_000,
  callMs: 60_000,
  inputRounds: 10,
};
