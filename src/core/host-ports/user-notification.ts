// A notification on its way to the person, as PushNotification hands it to the host. Said here so that the tool, the
// options, the hosts and the context of a call name one type.

/** What the person is told. */
export interface UserNotification {
  readonly message: string;
  /** The person hasn't asked for it: the agent continues by itself. */
  readonly status?: 'proactive';
  readonly sessionId: string;
}

/** How it went. Nothing said: it was sent nowhere. */
export interface SentNotification {
  /** The message is on its way to a device elsewhere. */
  readonly pushSent?: boolean;
  /** The message is shown where the agent runs. */
  readonly localSent?: boolean;
  /** Why it wasn't sent: the person hasn't allowed it, is looking anyway, or there is no way to them. */
  readonly disabledReason?: 'config_off' | 'user_present' | 'no_transport';
}

/**
 * Tells the person something while they are away. It must not ask them whether it may: a model calls it. What it rejects
 * with is the reason that the model is told. `signal` is aborted when the call is cut.
 */
export type OnPushNotification = (
  notification: UserNotification,
  options: { readonly signal: AbortSignal },
) => SentNotification | Promise<SentNotification>;
