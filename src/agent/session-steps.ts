// The port by which a host that works in events, such as a Durable Object, decides when a session
// may continue. The engine calls it before each step. hosts/edge/object implements it; other hosts
// don't have it.

/**
 * A session's activity. `asks`: a question waits for a person; calls may run concurrently.
 * `broken`: it can't be recorded any more, and has ended.
 */
export type SessionActivity = 'runs' | 'asks' | 'rests' | 'broken';

/** The steps of one opening of a session. */
export interface SessionSteps {
  /**
   * Why a stored session is opened. `woken`: it was released on purpose, or its code was replaced.
   * `resume`: running work was lost. Only losses count against a turn without progress.
   */
  readonly opening: 'resume' | 'woken';
  /**
   * Aborted when the session is released as by a kill. Its readers keep the messages sent so far.
   * Nothing is recorded any more, and no hook runs for the end.
   */
  readonly letGo: AbortSignal;
  /**
   * Resolves when the next step may run: a model request with its calls, or the interrupted calls.
   * Resolves at once when `signal` is aborted. Never rejects.
   */
  next(signal: AbortSignal): Promise<void>;
  /** Like {@link next}, before a call: resolves at once while the event has room for it. */
  nextCall(signal: AbortSignal): Promise<void>;
  /**
   * Reports that something runs until the result is disposed: a reply is read, or a call runs. Not called while the
   * session only waits for a person.
   */
  work(): Disposable;
  /**
   * Sets the time at which a turn without a prompt begins, in milliseconds since the epoch. The session must be open
   * then. Undefined: there is none. The last call counts, also after the session is released. Must not throw.
   */
  wakeAt(at: number | undefined): void;
  /**
   * Called before a turn that doesn't resume a cut one. Resolves to a text if the turn isn't allowed, with the
   * reason. Any other result must be disposed if the turn doesn't begin. Never rejects.
   */
  admit(): Promise<string | Disposable | undefined>;
  /**
   * From now on `listener` is called when a turn may begin that {@link SessionSteps.admit} has refused. It returns
   * whether a turn waits for that. Must not throw.
   */
  onFreed(listener: () => boolean): void;
  /** Called whenever the activity may have changed. Must not throw. */
  tell(activity: SessionActivity): void;
}
