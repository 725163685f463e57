// When a tab shows what PushNotification says, by windows in each state.
import { expect, it } from 'vitest';
import {
  createPageNotifications,
  type NotifyingWindow,
} from '../../../src/hosts/browser/page/page-notifications.ts';

interface Shown {
  readonly title: string;
  readonly options: NotificationOptions;
  click(): void;
  isClosed: boolean;
}

function openWindow(
  state: Partial<NotifyingWindow['document']> = {},
  permission?: NotificationPermission,
) {
  const shown: Shown[] = [];
  let focused = 0;
  class PlayedNotification {
    static readonly permission = permission ?? 'default';
    onclick: Notification['onclick'] = null;
    readonly #shown: Shown;
    constructor(title: string, options: NotificationOptions) {
      const click = () => this.onclick?.call(this as never, new Event('click') as never);
      this.#shown = { title, options, click, isClosed: false };
      shown.push(this.#shown);
    }
    close() {
      this.#shown.isClosed = true;
    }
  }
  const page: NotifyingWindow = {
    document: { hasFocus: () => false, title: 'Tides', visibilityState: 'hidden', ...state },
    ...(permission && { Notification: PlayedNotification }),
    focus: () => void (focused += 1),
  };
  const { signal } = new AbortController();
  const notify = () =>
    createPageNotifications(page)({ message: 'Done.', sessionId: 's1' }, { signal });
  return { notify, shown, focused: () => focused, page };
}

it('shows it to who is away and has allowed it; a click leads back', async () => {
  const { notify, shown, focused } = openWindow({}, 'granted');
  expect(await notify()).toEqual({ localSent: true });
  expect(shown).toMatchObject([{ title: 'Tides', options: { body: 'Done.', tag: 's1' } }]);
  shown[0]?.click();
  expect([focused(), shown[0]?.isClosed]).toEqual([1, true]);
});

it.each([
  ['visible', true, 'granted', { disabledReason: 'user_present' }],
  ['visible', false, 'granted', { localSent: true }],
  ['hidden', false, 'default', { disabledReason: 'config_off' }],
  ['hidden', false, 'denied', { disabledReason: 'config_off' }],
  ['hidden', false, undefined, { disabledReason: 'no_transport' }],
] as const)(
  'in a page that is %s, with focus %s and permission %s: %j',
  async (visibilityState, hasFocus, permission, sent) => {
    const { notify } = openWindow({ visibilityState, hasFocus: () => hasFocus }, permission);
    expect(await notify()).toEqual(sent);
  },
);

it('has no transport where a page may not construct one, as on phones', async () => {
  const { page } = openWindow();
  class Refusing {
    static readonly permission = 'granted';
    onclick = null;
    constructor() {
      throw new TypeError('Illegal constructor');
    }
    close() {}
  }
  const notify = createPageNotifications({ ...page, Notification: Refusing });
  const { signal } = new AbortController();
  expect(await notify({ message: 'Done.', sessionId: 's1' }, { signal })).toEqual({
    disabledReason: 'no_transport',
  });
});
