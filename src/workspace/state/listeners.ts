// Those who hear of one kind of event. Used by the writer and by what a tab shows of another tab's.

/** A set of listeners, called in the order in which they subscribed. */
export class Listeners<Told = void> {
  readonly #entries = new Set<(told: Told) => void>();
  readonly #onError: (error: unknown) => void;

  /** `onError` gets what a listener throws. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** One function may listen twice, and each is disposed by itself. */
  add(listener: (told: Told) => void): Disposable {
    const entry = (told: Told) => listener(told);
    this.#entries.add(entry);
    return { [Symbol.dispose]: () => void this.#entries.delete(entry) };
  }

  /** Never throws: a listener that does fails neither the others nor the caller. */
  tell(told: Told): void {
    for (const entry of this.#entries) {
      try {
        entry(told);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
