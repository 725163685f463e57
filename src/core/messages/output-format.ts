// In which form the caller wants each prompt's last answer; as the Claude Agent SDK has it.

/** The option `outputFormat`. The answer is `structured_output` of the prompt's `result` message. */
export interface OutputFormat {
  readonly type: 'json_schema';
  /** JSON Schema (2020-12, draft 7 or 4) of one object, without references to elsewhere. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a tool's result ends a turn with. */
export interface TurnOutput {
  /** What the `result` message says. */
  readonly result: string;
  /** The answer in the caller's format. Left out: it isn't in that format. */
  readonly structuredOutput?: unknown;
}
