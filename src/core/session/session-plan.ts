// The session's plan, for the tools that begin and end planning: a file of the session's own.

/** The plan of one session. The file survives reloads and compactions; a rewind leaves it as it is. */
export interface SessionPlan {
  /** Absolute: in plan mode Write and Edit may change it, and nothing else. */
  readonly path: string;
  /** Empty where there is none. A fork that has none of its own reads its parent's. Rejects as the workspace does. */
  read(): Promise<string>;
  /** Replaces the text. Rejects as the workspace does. */
  write(text: string): Promise<void>;
}
