// The port by which a tool has the session woken once. agent/triggers/ has it.

/** What the session is to be woken for. */
export interface NewWakeup {
  readonly delayMs: number;
  /** What is told then. */
  readonly prompt: string;
  /** The id of the call that asks for it. */
  readonly madeBy: string;
}

/** A wake-up that is set. */
export interface Wakeup {
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
}

/** One session's: at most one is set. */
export interface Wakeups {
  /** Why none can be set, in a sentence; undefined: one can. */
  findFault(): string | undefined;
  /** Takes the place of the one before. Resolves when it is recorded. The same call sets one, however often it is run. */
  set(wakeup: NewWakeup): Promise<Wakeup>;
  /** False: none was set. */
  cancel(): Promise<boolean>;
}
