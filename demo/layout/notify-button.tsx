// The button by which a person allows notifications. PushNotification itself never asks for that.
import { useState } from 'react';

export function NotifyButton() {
  const [permission, setPermission] = useState(
    typeof Notification === 'undefined' ? 'denied' : Notification.permission,
  );
  // After a decision only the browser's settings can change it.
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
