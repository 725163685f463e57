// The documents that are open in a host's editors. Before each call of the agent their unsaved text is committed, so a
// call never works on an older text than the person sees.

/** An open document, as the agent's host knows it. */
export interface OpenDocument {
  /** Absolute. */
  readonly path: string;
  /**
   * Makes what is typed by now a commit of the person's. Resolves when it is one, or can't be, as in a conflict that
   * the person has yet to decide; the editor tells that. A rejection is a mistake, and fails the call that waits.
   */
  flush(): Promise<void>;
}

/** The open documents of one host. Editors add theirs; the host flushes them. */
export interface OpenDocuments {
  /** Dispose it when the document is closed. */
  add(document: OpenDocument): Disposable;
  /** The paths of all that are open, each once, in the order in which they were opened. */
  paths(): readonly string[];
  /** {@link OpenDocument.flush} of each, at a time. */
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
