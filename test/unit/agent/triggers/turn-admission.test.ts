// Turns that a place refuses while their session stays open: by a clock that is moved by hand.
import { expect, it, vi } from 'vitest';
import type { SessionSteps } from '../../../../src/agent/session-steps.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { openByClock, settle, start } from '../../../support/sessions/clocked-session.ts';
import { says } from '../../../support/turns/play-turns.ts';

const minute = 60_000;

async function openRefused(options: Parameters<typeof openByClock>[1] = {}) {
  const clock = createVirtualClock(start);
  const wakes: (number | undefined)[] = [];
  const place = {
    refusal: undefined as string | undefined,
    asked: 0,
    /** Before it answers. */
    onAsked: (): void => undefined,
    free: (): boolean => false,
  };
  const steps: SessionSteps = {
    opening: 'woken',
    letGo: new AbortController().signal,
    next: async () => undefined,
    nextCall: async () => undefined,
    work: () => ({ [Symbol.dispose]: () => undefined }),
    wakeAt: (at) => void wakes.push(at === undefined ? at : (at - start) / minute),
    async admit() {
      place.asked += 1;
      const { refusal } = place;
      place.onAsked();
      return refusal;
    },
    onFreed: (listener) => void (place.free = listener),
    tell: () => undefined,
  };
  const host = { ...(await createInlineHost({ clock })), steps };
  const replies = [says('One.'), says('Two.'), says('Three.')];
  return { ...(await openByClock(replies, { host, ...options }, clock)), place, wakes };
}

it('holds what waits, tells why, and begins it after 15 minutes', async () => {
  const { clock, session, model, messages, ended, place, wakes } = await openRefused();
  place.refusal = 'Not today.';
  await session.send('Go.');
  await vi.waitUntil(() => place.asked > 0);
  await settle(session);
  const told = messages.flatMap((one) =>
    one.type === 'system' && one.subtype === 'informational' ? [one.content] : [],
  );
  expect(told).toEqual(['What waits is held, and is tried again within 15 minutes: Not today.']);
  clock.advance(15 * minute - 1);
  await settle(session);
  expect([place.asked, model.requests.length]).toEqual([1, 0]);
  place.refusal = undefined;
  clock.advance(1);
  await ended(1);
  expect([place.asked, model.requests.length]).toEqual([2, 1]);
  expect(wakes).toEqual([15, undefined]);
});

it('begins what is held once a turn is free, also where it is freed while the refusal comes', async () => {
  const { clock, session, model, ended, place, wakes } = await openRefused();
  expect(place.free()).toBe(false);
  place.refusal = 'Not now.';
  await session.send('Go.');
  await vi.waitUntil(() => place.asked > 0);
  await settle(session);
  place.refusal = undefined;
  expect([place.free(), place.free()]).toEqual([true, false]);
  await ended(1);
  expect([place.asked, model.requests.length]).toEqual([2, 1]);
  place.refusal = 'Not now.';
  place.onAsked = () => {
    place.onAsked = () => undefined;
    place.refusal = undefined;
    expect(place.free()).toBe(true);
  };
  await session.send('Go on.');
  await ended(2);
  expect([place.asked, model.requests.length]).toEqual([4, 2]);
  expect([wakes.at(-1), clock.pending()]).toEqual([undefined, 0]);
});

it('holds a tick, and begins at once with a prompt that is let in', async () => {
  const { clock, session, model, ended, place } = await openRefused({ proactive: true });
  await session.send('Go.');
  await ended(1);
  await settle(session);
  place.refusal = 'Not today.';
  clock.advance(minute);
  await vi.waitUntil(() => place.asked > 1);
  await settle(session);
  expect([place.asked, model.requests.length]).toEqual([2, 1]);
  place.refusal = undefined;
  await session.send('Go on.');
  await ended(2);
  expect([place.asked, model.requests.length]).toEqual([3, 2]);
});
