// The form in which the caller wants the answer to each prompt, with the Claude Agent SDK's names.

/** The option `outputFormat`. The answer is `structured_output` of the prompt's `result` message. */
export interface OutputFormat {
  readonly type: 'json_schema';
  /** JSON Schema (2020-12, draft 7 or 4) of one object, without references to other documents. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The result of a turn that a tool's result ends. */
export interface TurnOutput {
  /** The text of the `result` message. */
  readonly result: string;
  /** The answer in the caller's format. Left out: it isn't in that format. */
  readonly structuredOutput?: unknown;
}
