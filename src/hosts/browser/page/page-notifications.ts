// Implements PushNotification in a tab by the browser's notifications, if the person has allowed
// them. It never requests that permission, because that requires a click in the page. Created by
// create-browser-host.ts.
import type { OnPushNotification } from '../../../core/host-ports/user-notification.ts';

/** The part of `window` that it uses. */
export interface NotifyingWindow {
  readonly document: {
    readonly title: string;
    readonly visibilityState: 'hidden' | 'visible';
    hasFocus(): boolean;
  };
  /** Some browsers have none. */
  readonly Notification?: {
    new (title: string, options: NotificationOptions): Pick<Notification, 'close' | 'onclick'>;
    readonly permission: NotificationPermission;
  };
  focus(): void;
}

/** Each session has one notification at a time; a newer one replaces it. A click shows the page. */
export function createPageNotifications(page: NotifyingWindow): OnPushNotification {
  return ({ message, sessionId }) => {
    const { document, Notification } = page;
    if (document.visibilityState === 'visible' && document.hasFocus()) {
      return { disabledReason: 'user_present' };
    }
    if (!Notification) return { disabledReason: 'no_transport' };
    if (Notification.permission !== 'granted') return { disabledReason: 'config_off' };
    try {
      // Security: the model's text is only the body. The browser shows the origin.
      const shown = new Notification(document.title, { body: message, tag: sessionId });
      shown.onclick = () => {
        page.focus();
        shown.close();
      };
    } catch {
      // On phones only a service worker may show notifications: `TypeError: Illegal constructor`.
      return { disabledReason: 'no_transport' };
    }
    return { localSent: true };
  };
}
