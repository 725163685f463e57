// A notification for the person, which PushNotification gives to the host. Declared here so that the tool, the
// options, the hosts and the context of a call share one type.

/** The message for the person. */
export interface UserNotification {
  readonly message: string;
  /** Present if the person hasn't asked for it, because the agent continues by itself. */
  readonly status?: 'proactive';
  readonly sessionId: string;
}

/** Where the notification was sent. Without any field: nowhere. */
export interface SentNotification {
  /** The message was sent to another device. */
  readonly pushSent?: boolean;
  /** The message is shown where the agent runs. */
  readonly localSent?: boolean;
  /** Why it wasn't sent: the person hasn't allowed it, is present, or can't be reached. */
  readonly disabledReason?: 'config_off' | 'user_present' | 'no_transport';
}

/**
 * Notifies a person who is away. It must not ask the person for the permission to notify, because a model calls it.
 * If it rejects, the model is told the reason. `signal` is aborted when the call is cut.
 */
export type OnPushNotification = (
  notification: UserNotification,
  options: { readonly signal: AbortSignal },
) => SentNotification | Promise<SentNotification>;
