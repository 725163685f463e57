// A server that has less than its client, or other things: it lost power, or is a restored copy.
import { expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import type { ConnectOptions } from '../../../src/wire/connect-session.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import type { SessionServer } from '../../../src/wire/serve-session.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { linkTo, pass } from '../../support/wire/linked-server.ts';
import { isResult, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { createRecordedMedium } from '../../support/storage/recorded-medium.ts';
import type { RecordedMedium } from '../../support/storage/recorded-medium.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

async function serve({ medium }: RecordedMedium, isNew = false) {
  const workspace = await openWorkspace(medium, { name: 's1' });
  const host = await createInlineHost({ workspace });
  const which = isNew ? { sessionId: 's1' } : { resume: 's1' };
  const session = await openSession({ host, model: createWireModel(), ...which });
  const server = serveSession({ open: async () => session });
  return {
    session,
    server,
    async say(...words: readonly string[]) {
      for (const word of words) await readUntil(session, isResult, (await session.send(word)).n);
    },
    async [Symbol.asyncDispose]() {
      server[Symbol.dispose]();
      await session.close();
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function connect(server: () => SessionServer, options: Partial<ConnectOptions> = {}) {
  const clock = createVirtualClock();
  let cut = (): void => undefined;
  const client = await connectSession('http://x.example/wire', {
    clock,
    transport: 'socket',
    ticket: () => 'ticket',
    createSocket() {
      const link = linkTo(server());
      ({ cut } = link);
      return link.socket;
    },
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, cut: () => cut(), pass: (seconds: number) => pass(clock, seconds) };
}

it.each([
  ['has less than its client', []],
  ['has gone on past its client', ['Four.', 'Five.', 'Six.', 'Seven.']],
])('tells all anew where a restored copy %s', async (_, since) => {
  const medium = createRecordedMedium();
  await using first = await serve(medium, true);
  await first.say('One.');
  const copy = await medium.after(medium.count());
  await first.say('Two.', 'Three.');
  let { server } = first;
  const { client, cut, pass: wait } = await connect(() => server);
  const store = createTranscriptStore();
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of client.messages()) {
      told.push(message);
      store.apply(message);
    }
  })();
  const shown = () =>
    store.getSnapshot().turns.flatMap(({ prompt }) => (prompt === '' ? [] : [prompt]));
  await expect.poll(shown).toEqual(['One.', 'Two.', 'Three.']);
  await using restored = await serve(copy);
  await restored.say(...since);
  ({ server } = restored);
  cut();
  await wait(10);
  await restored.say('Last.');
  await wait(10);
  const words = ['One.', ...since, 'Last.'];
  await expect.poll(shown).toEqual(words);
  const reset = told.findIndex(({ type }) => type === 'conversation_reset');
  expect(told.slice(reset, reset + 3)).toMatchObject([
    { trigger: 'replaced', new_conversation_id: 's1' },
    { subtype: 'init', session_id: 's1' },
    { subtype: 'informational', level: 'warning' },
  ]);
  const both = words.flatMap((word) => [`user: ${word}`, `assistant: ${word}`]);
  expect(texts(told.slice(reset))).toEqual(both);
  const { n } = await client.send('On.');
  expect(texts(await readUntil(client, isResult, n))).toEqual(['user: On.', 'assistant: On.']);
  expect(told.filter(({ type }) => type === 'conversation_reset')).toHaveLength(1);
});

it('tells the first reader all anew whose number is beyond the end', async () => {
  await using place = await serve(createRecordedMedium(), true);
  await place.say('One.');
  const { client } = await connect(() => place.server, { after: 1_000 });
  const read = await readUntil(client, isResult, 1_000);
  expect(read.slice(0, 4)).toMatchObject([
    { type: 'conversation_reset', trigger: 'replaced' },
    { subtype: 'init' },
    { subtype: 'session_role_changed', role: 'viewer' },
    { subtype: 'informational', level: 'warning' },
  ]);
  expect(texts(read)).toEqual(['user: One.', 'assistant: One.']);
  const { n } = await client.send('Two.');
  expect(texts(await readUntil(client, isResult, n))).toEqual(['user: Two.', 'assistant: Two.']);
});

it('tells nothing anew where the same server begins before what its client has', async () => {
  await using place = await serve(createRecordedMedium(), true);
  await place.say('One.', 'Two.');
  const { session } = place;
  let server = place.server;
  const { client, cut, pass: wait } = await connect(() => server);
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of client.messages()) told.push(message);
  })();
  await expect.poll(() => told.filter(isResult).length).toBe(2);
  // As one that was killed right after a /clear: it opens the session that was left first.
  const ids = ['left'];
  const woken = Object.defineProperty({ ...session }, 'id', { get: () => ids.pop() ?? 's1' });
  server = serveSession({ open: async () => woken });
  cut();
  await wait(10);
  await place.say('Three.');
  await expect.poll(() => told.filter(isResult).length).toBe(3);
  const words = ['One.', 'Two.', 'Three.'];
  expect(texts(told)).toEqual(words.flatMap((word) => [`user: ${word}`, `assistant: ${word}`]));
  expect(told.map(({ type }) => type)).not.toContain('conversation_reset');
  server[Symbol.dispose]();
});
