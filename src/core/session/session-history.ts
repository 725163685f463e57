// The conversation as its own agent may shorten it: what stretches it has, and how one is taken out. Snip is made on it.

/** One reply of the model's with the results of its calls: it leaves the conversation as a whole, or not at all. */
export interface HistoryPart {
  /** The numbers of the journal's entries that it is from, oldest first. The first is the part's own number. */
  readonly entries: readonly number[];
  /** What the reply said, or which calls it made, in a line. */
  readonly text: string;
  /** An estimate. */
  readonly tokens: number;
}

/** From the part of number `from` to that of number `to`, both included. */
export interface HistorySpan {
  readonly from: number;
  readonly to: number;
  /** What of it is still worth knowing: it stands in its place. */
  readonly note: string;
}

/** What was taken out. */
export interface SnippedHistory {
  readonly parts: readonly HistoryPart[];
  /** Less those of the note. */
  readonly freedTokens: number;
}

/** The history of the agent whose call it is: a sub-agent has its own conversation. */
export interface SessionHistory {
  /** The parts that may be taken out, oldest first. */
  list(): Promise<readonly HistoryPart[]>;
  /**
   * Takes the parts of the span out of what the model is sent from the next request on. The person's words, and whatever
   * else isn't a part, stay. All of it stays in the journal and in the transcript, and a rewind gives it back.
   * Resolves when it is recorded. The same call gives what it gave, and takes out nothing more.
   *
   * Rejects with `bad-usage` for a span that isn't between two parts.
   */
  snip(callId: string, span: HistorySpan): Promise<SnippedHistory>;
}
