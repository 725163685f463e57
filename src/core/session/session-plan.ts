// The port to the session's plan, for the tools that begin and end planning. The plan is a file of the session.

/** The plan of one session. The file survives reloads and compactions; a rewind leaves it as it is. */
export interface SessionPlan {
  /** Absolute: in plan mode Write and Edit may change it, and nothing else. */
  readonly path: string;
  /**
   * The plan's text; empty if there is none. A fork without a plan reads its parent's. Rejects as the workspace does.
   */
  read(): Promise<string>;
  /** Replaces the text. Rejects as the workspace does. */
  write(text: string): Promise<void>;
}
