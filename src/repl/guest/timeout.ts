// What setTimeout returns, as Node has it: of the real timers and of a test's fake ones.

/** Returns the class; `refresh` begins a timer's wait anew, `drop` ends it. */
export function createTimeoutClass(refresh: (id: number) => void, drop: (id: number) => void) {
  return class Timeout {
    declare readonly id: number;
    constructor(id: number) {
      this.id = id;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    hasRef() {
      return true;
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
