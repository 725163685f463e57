// A reader that gets only what is stored, as a client of a session elsewhere: it hears that storage is waited for.
import { expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { isResult, texts } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';

/** Its storage takes a reply only once `until` resolves. */
function withSlowReplies(host: Host, until: Promise<void>) {
  const { workspace } = host;
  const { promise: asked, resolve } = createDeferred();
  const append: typeof workspace.streams.append = async (id, entries, options) => {
    if (entries.some(({ value }) => (value as { type?: string }).type === 'reply')) {
      resolve();
      await until;
    }
    return workspace.streams.append(id, entries, options);
  };
  const streams = { value: { ...workspace.streams, append } };
  const own = { workspace: { value: Object.create(workspace, { streams }) } };
  return { host: Object.create(host, own) as Host, asked };
}

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'informational' ? [message.content] : [],
  );

it('a reader of what is stored hears once that storage is waited for, and then gets all of it', async () => {
  const clock = createVirtualClock();
  await using whole = await createInlineHost({ clock });
  const { promise: until, resolve: store } = createDeferred();
  const { host, asked } = withSlowReplies(whole, until);
  await using session = await openSession({ host, model: listModel('test', [says('Hello.')]) });
  const seen: SDKMessage[] = [];
  const { promise: heard, resolve: hear } = createDeferred();
  const read = (async () => {
    for await (const message of session.messages({ stored: true })) {
      seen.push(message);
      if (notices([message]).length > 0) hear();
      if (isResult(message)) break;
    }
  })();
  await session.send('Hi.');
  await asked;
  while (clock.pending() === 0) await new Promise((resolve) => setTimeout(resolve));
  await clock.advance(9_000);
  expect(notices(seen)).toEqual([]);
  await clock.advance(60_000);
  await heard;
  expect(texts(seen)).toEqual(['user: Hi.']);
  store();
  await read;
  expect(texts(seen)).toEqual(['user: Hi.', 'assistant: Hello.']);
  expect(notices(seen)).toEqual([expect.stringContaining('storage')]);
  // No timer is left.
  expect(clock.pending()).toBe(0);
});
