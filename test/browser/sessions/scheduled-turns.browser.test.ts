// Scheduled prompts of a session in a tab that is closed and opened again, over files that outlive it. The calendar is
// the page's own, and moved on by the test.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { openByClock, start } from '../../support/sessions/clocked-session.ts';
import { asks, says } from '../../support/turns/play-turns.ts';
import {
  allowed,
  day,
  hour,
  isScheduled,
  nine,
  schedules,
  toText,
} from '../../support/sessions/scheduled-turns.ts';

afterEach(() => void vi.useRealTimers());

async function openTab(workspace: string) {
  const host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
  onTestFinished(() => host[Symbol.asyncDispose]());
  return host;
}

it('a tab that was closed meanwhile tells once what was due, and goes on', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  const workspace = `scheduled-${crypto.randomUUID()}`;
  const before = await openTab(workspace);
  const first = await openByClock(
    [asks(schedules({ ...nine, durable: true })), says('Scheduled.')],
    { ...allowed, host: before, sessionId: 's1' },
  );
  await first.session.send('Every day at nine.');
  await first.ended(1);
  await first.session.close();
  await before[Symbol.asyncDispose]();

  vi.setSystemTime(start + 3 * day + hour);
  const second = await openByClock([says('Low.')], {
    ...allowed,
    host: await openTab(workspace),
    resume: 's1',
  });
  await second.ended(2);
  expect(toText(second.model.requests[0]?.messages.at(-1))).toContain('Look at the tides.');
  expect(second.messages.filter(isScheduled)).toHaveLength(1);
  await second.session.close();

  // It is once that it was told: an hour later there is nothing to make up for.
  vi.setSystemTime(start + 3 * day + 2 * hour);
  const third = await openByClock(
    [asks(schedules({ ...nine, cron: '0 10 * * *' })), says('Two.')],
    {
      ...allowed,
      host: await openTab(workspace),
      resume: 's1',
    },
  );
  await third.session.send('Another one at ten.');
  await third.ended(3);
  expect(third.messages.filter(isScheduled)).toHaveLength(1);
});
