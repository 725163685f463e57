// The documents that are open in a host's editors. Their unsaved text is committed before each call
// of the agent, so a call never sees older text than the person does.

/** An open document, as the agent's host knows it. */
export interface OpenDocument {
  /** An absolute path. */
  readonly path: string;
  /**
   * Commits the text typed so far as the person's. Resolves when it is committed, or when it can't
   * be, such as in a conflict that the person must decide; the editor shows that. A rejection is a
   * programming error and fails the waiting call.
   */
  flush(): Promise<void>;
}

/** The open documents of one host. Editors add theirs, and the host flushes them. */
export interface OpenDocuments {
  /** Dispose of the result when the document is closed. */
  add(document: OpenDocument): Disposable;
  /** Returns the paths of all open documents without duplicates, in the order of opening. */
  paths(): readonly string[];
  /** Calls {@link OpenDocument.flush} of all documents concurrently. */
  flush(): Promise<void>;
}

export function createOpenDocuments(): OpenDocuments {
  const documents = new Set<OpenDocument>();
  return {
    add(document) {
      documents.add(document);
      return { [Symbol.dispose]: () => void documents.delete(document) };
    },
    paths: () => [...new Set([...documents].map(({ path }) => path))],
    async flush() {
      await Promise.all([...documents].map((document) => document.flush()));
    },
  };
}
