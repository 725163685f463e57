// The class of setTimeout's result, as in Node. Used for real timers and for fake ones.

/** Returns the class. `refresh` restarts a timer's wait, and `drop` cancels it. */
export function createTimeoutClass(refresh: (id: number) => void, drop: (id: number) => void) {
  return class Timeout {
    declare readonly id: number;
    #hasRef = true;
    constructor(id: number) {
      this.id = id;
    }
    static hasRef(timeout: object): boolean {
      return #hasRef in timeout && timeout.#hasRef;
    }
    ref() {
      this.#hasRef = true;
      return this;
    }
    unref() {
      this.#hasRef = false;
      return this;
    }
    hasRef() {
      return this.#hasRef;
    }
    refresh() {
      refresh(this.id);
      return this;
    }
    close() {
      drop(this.id);
      return this;
    }
    [Symbol.toPrimitive]() {
      return this.id;
    }
    [Symbol.dispose]() {
      drop(this.id);
    }
  };
}
