// A server that is lost with what it has in memory, as an evicted object's: what its clients see of that.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import { linkTo, pass } from '../../support/wire/linked-server.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

const url = 'http://x.example/wire';

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
  let cut = (): void => undefined;
  const client = await connectSession(url, {
    clock,
    transport: 'socket',
    ticket: () => (faults.hasNoTicket ? new Promise<string>(() => {}) : 'ticket'),
    createSocket() {
      const link = linkTo(server, (frame) => {
        const isReply = String(frame).includes('"type":"reply"');
        return !faults.losesReplies || !isReply;
      });
      ({ cut } = link);
      return link.socket;
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
    pass: (seconds: number) => pass(clock, seconds),
  };
}

describe('a client of a session that is being opened for minutes', () => {
  /** From its archive, say. `end`: how the connection came about. */
  async function openComing() {
    const clock = createVirtualClock();
    let come: (session: AgentSession) => void = () => undefined;
    let fail: (error: SdkError) => void = () => undefined;
    const coming = new Promise<AgentSession>((resolve, reject) => {
      come = resolve;
      fail = reject;
    });
    const server = serveSession({ clock, open: () => coming });
    onTestFinished(() => server[Symbol.dispose]());
    const createSocket = () => linkTo(server).socket;
    const how = { clock, transport: 'socket', ticket: () => 'ticket', createSocket } as const;
    let end = 'waits';
    const connecting = connectSession(url, how).then(
      async (client) => {
        end = client.id;
        await client.close();
      },
      (error: unknown) => void (end = String(error)),
    );
    await pass(clock, 200);
    expect(end).toBe('waits');
    return {
      come,
      fail,
      async whenOver() {
        await connecting;
        return end;
      },
    };
  }

  it('waits until it is open', async () => {
    const { come, whenOver } = await openComing();
    await using host = await createInlineHost();
    await using session = await openSession({ host, model: createWireModel(), sessionId: 's1' });
    come(session);
    expect(await whenOver()).toBe('s1');
  });

  it('is told why it can’t be', async () => {
    const { fail, whenOver } = await openComing();
    fail(new SdkError('EIO', 'The bucket does not answer.'));
    expect(await whenOver()).toContain('The bucket does not answer.');
  });
});

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
    const told: string[] = [];
    void (async () => {
      for await (const message of client.messages())
        if ('connection' in message) told.push(message.connection);
    })();
    faults.open = fault;
    cut();
    await pass(120);
    expect(client.connection()).toBe('waiting');
    delete faults.open;
    await pass(60);
    await expect.poll(() => client.connection()).toBe('open');
    await expect.poll(() => told).toEqual(['waiting', 'open']);
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
