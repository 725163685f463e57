// A server that is lost with what it has in memory, as an evicted object's: what its clients see of that.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import type { ClientSocket } from '../../../src/wire/serve-session.ts';
import { createWireModel } from '../../support/wire-model.ts';

/** One session, one server after the other, and one client, whose time passes by hand. */
async function openPlace() {
  const host = await createInlineHost();
  const model = createWireModel();
  const session = await openSession({ host, model, sessionId: 's1', includePartialMessages: true });
  const clock = createVirtualClock();
  const faults: { open?: SdkError; losesReplies?: boolean; hasNoTicket?: boolean } = {};
  const make = () =>
    serveSession({
      async open() {
        if (faults.open) throw faults.open;
        return session;
      },
    });
  let server = make();
  let cut = () => {};
  const client = await connectSession('http://x.example/wire', {
    clock,
    transport: 'socket',
    ticket: () => (faults.hasNoTicket ? new Promise<string>(() => {}) : 'ticket'),
    createSocket() {
      const own = server;
      const listeners: Record<string, ((event: { data: unknown }) => void)[]> = {};
      const tell = (type: string, data?: unknown) =>
        queueMicrotask(() => (listeners[type] ?? []).forEach((one) => one({ data })));
      const far: ClientSocket = {
        send(frame) {
          const isReply = String(frame).includes('"type":"reply"');
          if (!faults.losesReplies || !isReply) tell('message', frame);
        },
        close: () => tell('close'),
      };
      cut = () => {
        own.leave(far);
        tell('close');
      };
      own.join(far, { owner: 'ann', role: 'owner' });
      return {
        readyState: 1,
        binaryType: '',
        send: (data: string) => void own.receive(far, data),
        close: () => own.leave(far),
        addEventListener: (type: string, listener: never) =>
          void (listeners[type] ??= []).push(listener),
      } as never;
    },
  });
  onTestFinished(async () => {
    await client.close();
    server[Symbol.dispose]();
    await session.close();
    await host[Symbol.asyncDispose]();
  });
  return {
    client,
    faults,
    cut: () => cut(),
    evict() {
      server[Symbol.dispose]();
      server = make();
      cut();
    },
    /** In steps of a second, with room for what each sets off. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000);
        await new Promise((resolve) => setTimeout(resolve));
      }
    },
  };
}

it('resolves an answer that was recorded, and is sent again as its reply was lost', async () => {
  const { client, faults, evict, pass } = await openPlace();
  await client.send('write x');
  await expect.poll(() => client.questions().length).toBe(1);
  faults.losesReplies = true;
  let end = 'open';
  client.answer(client.questions()[0]?.requestId ?? '', { behavior: 'allow' }).then(
    () => (end = 'resolved'),
    (error: unknown) => (end = String(error)),
  );
  await expect.poll(() => client.state()).toBe('idle');
  faults.losesReplies = false;
  evict();
  await pass(20);
  await expect.poll(() => end).toBe('resolved');
});

it('stops no later turn by a stop that is sent again as its reply was lost', async () => {
  const { client, faults, evict, pass } = await openPlace();
  await client.send('slow');
  await expect.poll(() => client.state()).toBe('running');
  faults.losesReplies = true;
  let end = 'open';
  client.interrupt().then(
    () => (end = 'resolved'),
    (error: unknown) => (end = String(error)),
  );
  await expect.poll(() => client.state()).toBe('idle');
  faults.losesReplies = false;
  void client.send('write x');
  await expect.poll(() => client.questions().length).toBe(1);
  evict();
  await pass(20);
  await expect.poll(() => end).toBe('resolved');
  expect(client.questions()).toHaveLength(1);
  await client.interrupt();
  await expect.poll(() => client.state()).toBe('idle');
});

describe('a client that is connected', () => {
  it.each([
    ['a bucket that fails', new SdkError('EIO', 'The bucket does not answer.')],
    [
      'a move that may come to nothing',
      new SdkError('bad-usage', 'It is just being fetched.', { data: { passes: true } }),
    ],
  ])('waits for the end of %s', async (_, fault) => {
    const { client, faults, cut, pass } = await openPlace();
    faults.open = fault;
    cut();
    await pass(120);
    expect(client.connection()).toBe('waiting');
    delete faults.open;
    await pass(60);
    await expect.poll(() => client.connection()).toBe('open');
  });

  it('gives a ticket up that never comes, and asks for another one', async () => {
    const { client, faults, cut, pass } = await openPlace();
    faults.hasNoTicket = true;
    cut();
    await pass(10);
    faults.hasNoTicket = false;
    await pass(120);
    await expect.poll(() => client.connection()).toBe('open');
  });
});
