// Monitor over sockets of a server on loopback.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { SessionSteps } from '../../src/agent/session-steps.ts';
import { eventsOf, openTalk } from '../support/turns/monitor-talk.ts';

let server: WebSocketServer | undefined;

afterEach(() => {
  for (const client of server?.clients ?? []) client.terminate();
  server?.close();
  server = undefined;
});

async function serveSocket(): Promise<string> {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const allowing = (place: string): Partial<QueryOptions> => ({
  permissionMode: 'default',
  allowedTools: [`Monitor(net:${place})`],
});

describe('a monitor of a socket', () => {
  it('tells its text frames, taints the session by them, and ends when the server closes', async () => {
    const place = await serveSocket();
    const connected = once(server as WebSocketServer, 'connection');
    const talk = await openTalk({ ...allowing(place), egress: 'deny' });
    const told = await talk.monitor({ ws: { url: `ws://${place}/feed`, protocols: ['news'] } });
    const [client] = (await connected) as [WebSocket];
    expect(client.protocol).toBe('news');
    client.send('first\nline');
    client.send(new Uint8Array([1]));
    client.send('second');
    await talk.clock.gathered();
    told.say('I wait.');
    const woken = await talk.asked();
    expect(eventsOf(woken.news)).toEqual(['first line\nsecond']);
    woken.call({
      id: 'again',
      name: 'Monitor',
      input: { description: 'x', ws: { url: `ws://${place}/` } },
    });
    const refused = await talk.asked();
    expect(refused.news).toContain('Monitor was refused');
    const { taskId } = await talk
      .seen(
        (message): message is never =>
          message.type === 'system' && message.subtype === 'task_started',
      )
      .then(({ task_id }: { task_id: string }) => ({ taskId: task_id }));
    client.close(1000, 'bye');
    expect(await talk.taskEnd(taskId)).toMatchObject({
      status: 'completed',
      summary: expect.stringContaining('the socket was closed (code 1000, bye).'),
    });
    refused.say('Done.');
    await talk.end();
  });

  it('reaches no private host that no rule names, whatever the mode', async () => {
    const place = await serveSocket();
    let connections = 0;
    server?.on('connection', () => (connections += 1));
    const talk = await openTalk({ permissionMode: 'bypassPermissions' });
    const told = await talk.monitor({ ws: { url: `ws://${place}/` } });
    expect(told.news).toContain(`It needs the permission Monitor(net:${place})`);
    expect(connections).toBe(0);
    told.say('Done.');
    await talk.end();
  });

  it('tells of a flood the first lines and a count, and is stopped when it is too much', async () => {
    const place = await serveSocket();
    const connected = once(server as WebSocketServer, 'connection');
    const talk = await openTalk(allowing(place));
    const told = await talk.monitor({ ws: { url: `ws://${place}/` } });
    const { taskId } = talk.output();
    const [client] = (await connected) as [WebSocket];
    const closed = once(client, 'close');
    for (let at = 0; at < 60; at += 1) client.send(`line ${at}`);
    // What is sent behind them has come when they have.
    client.send('x'.repeat(1_000_001));
    expect((await talk.taskEnd(taskId)).status).toBe('stopped');
    await closed;
    told.say('I wait.');
    const woken = await talk.asked();
    expect(eventsOf(woken.news)[0]?.split('\n')).toHaveLength(50);
    expect(woken.news).toContain('has printed 50 lines; 11 more are in its output file alone.');
    expect(woken.news).toContain('It is stopped: it has printed more than 1000000 characters.');
    woken.say('Done.');
    await talk.end();
  });

  it('is closed where what it says first is too much, and tells a long blank line', async () => {
    const place = await serveSocket();
    const socketClosed = new Promise<void>((resolve) => {
      server?.on('connection', (client) => {
        client.on('close', resolve);
        client.send(`${' '.repeat(900_000)}x`);
        client.send('y'.repeat(200_000));
      });
    });
    const talk = await openTalk(allowing(place));
    const told = await talk.monitor({ ws: { url: `ws://${place}/` } });
    expect((await talk.taskEnd(talk.output().taskId)).status).toBe('stopped');
    await socketClosed;
    told.say('Done.');
    await talk.end();
  });

  it('is closed by TaskStop', async () => {
    const place = await serveSocket();
    const connected = once(server as WebSocketServer, 'connection');
    const talk = await openTalk(allowing(place));
    const told = await talk.monitor({ ws: { url: `ws://${place}/` } });
    const [client] = (await connected) as [WebSocket];
    const closed = once(client, 'close');
    told.call({ id: 'stop', name: 'TaskStop', input: { task_id: talk.output().taskId } });
    const stopped = await talk.asked();
    expect(stopped.news).toContain('(the build) is stopped.');
    await closed;
    stopped.say('Done.');
    await talk.end();
  });

  it('is closed where the task is stopped before it hears', async () => {
    const place = await serveSocket();
    const connected = once(server as WebSocketServer, 'connection');
    let calls = 0;
    // The task's work is the second to ask; it waits for its turn until it is stopped.
    const steps: SessionSteps = {
      opening: 'resume',
      letGo: new AbortController().signal,
      next: async () => undefined,
      async nextCall(signal) {
        calls += 1;
        if (calls === 2) await once(signal, 'abort');
      },
      work: () => ({ [Symbol.dispose]: () => undefined }),
      wakeAt: () => undefined,
      onFreed: () => undefined,
      admit: async () => undefined,
      tell: () => undefined,
    };
    const talk = await openTalk(allowing(place), (host) => ({ ...host, steps }));
    const told = await talk.monitor({ ws: { url: `ws://${place}/` } });
    const [client] = (await connected) as [WebSocket];
    const closed = once(client, 'close');
    told.call({ id: 'stop', name: 'TaskStop', input: { task_id: talk.output().taskId } });
    const stopped = await talk.asked();
    expect(stopped.news).toContain('(the build) is stopped.');
    await closed;
    stopped.say('Done.');
    await talk.end();
  });

  it('says so where the host opens none', async () => {
    const talk = await openTalk({}, ({ sockets: _, ...host }) => host);
    const told = await talk.monitor({ ws: { url: 'wss://a.example/' } });
    expect(told.news).toContain('This host opens no sockets for tools.');
    told.say('Done.');
    await talk.end();
  });
});
