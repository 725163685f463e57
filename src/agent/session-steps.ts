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
  /** Something runs until it is disposed: a reply is read, or a call is run. Not called while only a person is waited for. */
  work(): Disposable;
  /**
   * When a turn begins that nobody asks for, in milliseconds since the epoch: the session is to be open then.
   * Undefined: none does. The last of several calls holds, also after the session is let go. Must not throw.
   */
  wakeAt(at: number | undefined): void;
  /**
   * Before a turn that isn't one that was cut: it may be a prompt that has waited, or nobody has asked for it. A text says
   * why there may be none. Anything else is to be disposed where no turn comes of it. Never rejects.
   */
  admit(): Promise<string | Disposable | undefined>;
  /**
   * From here on `listener` is called when a turn may begin that {@link SessionSteps.admit} has refused. It gives whether
   * one waits for that. Must not throw.
   */
  onFreed(listener: () => boolean): void;
  /** Told whenever it may have changed. Must not throw. */
  tell(activity: SessionActivity): void;
}
