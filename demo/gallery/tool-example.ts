// The gallery's example of one tool: a realistic call, typed by the tool's schemas.

/** One call and its possible ends. The text for the model is made by the tool's definition. */
export interface ToolExample<Input = unknown, Output = unknown> {
  readonly input: Input;
  readonly output: Output;
  /** The tool's progress payloads. */
  readonly progress?: readonly unknown[];
  /** The text for the model if the call fails. */
  readonly failure: string;
  /** The output of a failed call, for a tool that reports failures as data. */
  readonly failed?: Output;
  /** Variants of a finished call, by a short description. */
  readonly variants?: Readonly<Record<string, Variant<Input, Output>>>;
}

/** A finished call. A field that is left out is the example's. */
export interface Variant<Input, Output> {
  readonly input?: Input;
  readonly output?: Output;
  /** A person has changed the input before allowing the call. */
  readonly isChanged?: true;
  /** The call continues in the background. */
  readonly isTask?: true;
}
