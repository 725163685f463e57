// The port by which an agent shortens its own conversation: it lists the parts and removes a span. The tool Snip uses
// it.

/** One reply of the model with the results of its calls. Only a whole part can be removed. */
export interface HistoryPart {
  /** The numbers of the part's journal entries, oldest first. The first is the part's number. */
  readonly entries: readonly number[];
  /** One line with the reply's text, or with the calls that it made. */
  readonly text: string;
  /** An estimate of the part's tokens. */
  readonly tokens: number;
}

/** The parts from number `from` to number `to`, both included. */
export interface HistorySpan {
  readonly from: number;
  readonly to: number;
  /** What is still worth knowing. This text replaces the span. */
  readonly note: string;
}

/** What was removed. */
export interface SnippedHistory {
  readonly parts: readonly HistoryPart[];
  /** The tokens of the removed parts, minus those of the note. */
  readonly freedTokens: number;
}

/** The conversation of the agent that makes the call. A sub-agent has its own. */
export interface SessionHistory {
  /** The parts that may be removed, oldest first. */
  list(): Promise<readonly HistoryPart[]>;
  /**
   * Removes the parts of the span from the model's requests, from the next one on. The person's words, and everything
   * else that isn't a part, stay. Journal and transcript keep everything, and a rewind restores it. Resolves when the
   * removal is recorded. If the same call runs again, it gets the same result and removes nothing more.
   *
   * Rejects with `bad-usage` for a span that isn't between two parts.
   */
  snip(callId: string, span: HistorySpan): Promise<SnippedHistory>;
}
