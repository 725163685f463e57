// How long calls of a tool take, as far as it was seen: of those that wait for a worker the longest
// goes first, so that none of them begins when all others are done.

/** Starts with nothing known. */
export class CallLengths {
  readonly #ms = new Map<string, number>();

  /** Undefined where no call of the tool has ended yet. */
  of(toolName: string): number | undefined {
    return this.#ms.get(toolName);
  }

  /** Half of what is expected is the newest: the first call of all may have had to load everything. */
  note(toolName: string, ms: number): void {
    const before = this.#ms.get(toolName) ?? ms;
    this.#ms.set(toolName, (before + ms) / 2);
  }
}
