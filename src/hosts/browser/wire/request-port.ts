// Matches requests over a port to their answers by a number: `OpenRequests` on the requesting side,
// `RunningRequests` on the serving side. The messages themselves are in protocol.ts.

/**
 * Requests without an answer. An entry has what its answer needs, such as a promise's `resolve`.
 */
export class OpenRequests<Entry> {
  readonly #open = new Map<number, Entry>();
  #lastId = 0;

  /** Adds a request and returns its unique number. */
  add(entry: Entry): number {
    this.#lastId += 1;
    this.#open.set(this.#lastId, entry);
    return this.#lastId;
  }

  /**
   * Returns the entry for messages before the answer, such as progress. Undefined if it isn't open.
   */
  get(id: number): Entry | undefined {
    return this.#open.get(id);
  }

  /** Removes and returns the entry, so that a second answer has no effect. */
  take(id: number): Entry | undefined {
    const entry = this.#open.get(id);
    this.#open.delete(id);
    return entry;
  }

  /** The same for all open requests, or those for which `isMeant` returns true. Oldest first. */
  takeAll(isMeant: (entry: Entry) => boolean = () => true): Entry[] {
    const ids = this.entries().flatMap(([id, entry]) => (isMeant(entry) ? [id] : []));
    return ids.flatMap((id) => this.take(id) ?? []);
  }

  /** Returns a copy, oldest first. */
  entries(): [id: number, entry: Entry][] {
    return [...this.#open];
  }
}

/** Requests being served, each with its own signal. */
export class RunningRequests {
  readonly #running = new Map<number, AbortController>();

  /** Runs `work` and passes on its result or error. */
  async run<T>(id: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  /** Does nothing if the request has ended. */
  abort(id: number, reason: unknown): void {
    this.#running.get(id)?.abort(reason);
  }

  abortAll(reason: unknown): void {
    for (const controller of this.#running.values()) controller.abort(reason);
  }
}
