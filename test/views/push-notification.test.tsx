import { describe, expect, it } from 'vitest';
import { pushNotificationExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/push-notification/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  ...pushNotificationExample,
  toolName: 'PushNotification',
  streamingInput: { message: 'All 41 te' },
};

describe('view of PushNotification', () => {
  const variants = Object.entries(pushNotificationExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
