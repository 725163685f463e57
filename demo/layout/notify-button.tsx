// The button by which a person allows notifications: PushNotification never asks for that.
import { useState } from 'react';

export function NotifyButton() {
  const [permission, setPermission] = useState(
    typeof Notification === 'undefined' ? 'denied' : Notification.permission,
  );
  // Allowed or refused: from then on it is the browser's to change.
  if (permission !== 'default') return null;
  return (
    <button
      type="button"
      title="The agent may notify you while you are elsewhere"
      onClick={async () => setPermission(await Notification.requestPermission())}
    >
      Notify me
    </button>
  );
}
