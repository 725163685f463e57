// What the gallery knows of one tool: a call as it would really be, typed by the tool's own schemas.

/** One call and its ends. What the model is told of an output is the definition's own text. */
export interface ToolExample<Input = unknown, Output = unknown> {
  readonly input: Input;
  readonly output: Output;
  /** The tool's own payloads while it runs. */
  readonly progress?: readonly unknown[];
  /** What the model is told where it fails. */
  readonly failure: string;
  /** Where it reports its failure as data. */
  readonly failed?: Output;
  /** Other shapes of a call that is done, by what is special about them. */
  readonly variants?: Readonly<Record<string, Variant<Input, Output>>>;
}

/** A call that is done; what is left out is the example's own. */
export interface Variant<Input, Output> {
  readonly input?: Input;
  readonly output?: Output;
  /** A person allowed it with another input than was asked about. */
  readonly isChanged?: true;
  /** It goes on in the background. */
  readonly isTask?: true;
}
