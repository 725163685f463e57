import { describe, expect, it } from 'vitest';
import { pushNotificationExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/push-notification/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  ...pushNotificationExample,
  toolName: 'PushNotification',
  streamingInput: { message: 'All 41 te' },
};

describe('view of PushNotification', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
