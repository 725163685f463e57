// What PushNotification comes to in a tab: the browser's own notifications, where the person has allowed them. Made by
// create-browser-host.ts. It never asks for that permission: only the page may, when a person has clicked for it.
import type { OnPushNotification } from '../../../core/host-ports/user-notification.ts';

/** What of the window it needs. */
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

/** One of a session stands at a time: a newer one takes its place. A click on it shows the page. */
export function createPageNotifications(page: NotifyingWindow): OnPushNotification {
  return ({ message, sessionId }) => {
    const { document, Notification } = page;
    if (document.visibilityState === 'visible' && document.hasFocus()) {
      return { disabledReason: 'user_present' };
    }
    if (!Notification) return { disabledReason: 'no_transport' };
    if (Notification.permission !== 'granted') return { disabledReason: 'config_off' };
    try {
      // Security: the model's words are the text alone; the browser names the origin.
      const shown = new Notification(document.title, { body: message, tag: sessionId });
      shown.onclick = () => {
        page.focus();
        shown.close();
      };
    } catch {
      // On phones only a service worker may show one: `TypeError: Illegal constructor`.
      return { disabledReason: 'no_transport' };
    }
    return { localSent: true };
  };
}
