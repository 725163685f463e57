// The port by which a tool has the session woken once. agent/triggers/ implements it.

/** A wake-up to set. */
export interface NewWakeup {
  readonly delayMs: number;
  /** The prompt at that time. */
  readonly prompt: string;
  /** The id of the call that sets the wake-up. */
  readonly madeBy: string;
}

/** A wake-up that is set. */
export interface Wakeup {
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
}

/** The wake-up of one session: at most one is set. */
export interface Wakeups {
  /** Why no wake-up can be set, in a sentence. Undefined: one can. */
  findFault(): string | undefined;
  /** Replaces the wake-up before. Resolves when it is recorded. If the same call runs again, it sets no second one. */
  set(wakeup: NewWakeup): Promise<Wakeup>;
  /** Resolves to false if none was set. */
  cancel(): Promise<boolean>;
}
