// Requests over a port, matched to their answers by a number: `OpenRequests` on the end that asks,
// `RunningRequests` on the end that serves. What is said over the port stays the closed list of protocol.ts.

/** What was asked and isn't answered yet. An entry holds what its answer needs, such as a promise's `resolve`. */
export class OpenRequests<Entry> {
  readonly #open = new Map<number, Entry>();
  #lastId = 0;

  /** The request's number, which no other of these requests has had. */
  add(entry: Entry): number {
    this.#lastId += 1;
    this.#open.set(this.#lastId, entry);
    return this.#lastId;
  }

  /** For what is said of a request before its answer, such as progress. Undefined: it isn't open. */
  get(id: number): Entry | undefined {
    return this.#open.get(id);
  }

  /** The entry, which is open no more: so a second answer finds nothing. */
  take(id: number): Entry | undefined {
    const entry = this.#open.get(id);
    this.#open.delete(id);
    return entry;
  }

  /** The same for all that are open, or that `isMeant` says yes to; the oldest first. */
  takeAll(isMeant: (entry: Entry) => boolean = () => true): Entry[] {
    const ids = this.entries().flatMap(([id, entry]) => (isMeant(entry) ? [id] : []));
    return ids.flatMap((id) => this.take(id) ?? []);
  }

  /** A copy, the oldest first. */
  entries(): [id: number, entry: Entry][] {
    return [...this.#open];
  }
}

/** What is being served, each request with a signal of its own. */
export class RunningRequests {
  readonly #running = new Map<number, AbortController>();

  /** Runs until `work` has ended; what that resolves or rejects with is passed on. */
  async run<T>(id: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  /** Does nothing where the request has ended. */
  abort(id: number, reason: unknown): void {
    this.#running.get(id)?.abort(reason);
  }

  abortAll(reason: unknown): void {
    for (const controller of this.#running.values()) controller.abort(reason);
  }
}
