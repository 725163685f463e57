// A set of listeners of one kind of event. Used by the writer and by tabs.

/** Calls listeners in the order in which they were added. */
export class Listeners<Told = void> {
  readonly #entries = new Set<(told: Told) => void>();
  readonly #onError: (error: unknown) => void;

  /** `onError` receives errors that listeners throw. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** The same function may be added twice. Each is disposed of separately. */
  add(listener: (told: Told) => void): Disposable {
    const entry = (told: Told) => listener(told);
    this.#entries.add(entry);
    return { [Symbol.dispose]: () => void this.#entries.delete(entry) };
  }

  /** Never throws: an error of one listener affects neither the others nor the caller. */
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
