// The description of PushNotification for the model.

export const pushNotificationToolName = 'PushNotification';

export const pushNotificationDescription =
  'Notifies the user outside the conversation, on their screen or device, when they are away.';

export const pushNotificationPrompt =
  "PushNotification interrupts the user in whatever they do: use it where they would want to be fetched, as when long work is done or can't go on without them. Say in one sentence what has happened; the rest stands in the conversation. It may not be sent, because they are looking anyway or don't want any. That is no failure: go on.";
