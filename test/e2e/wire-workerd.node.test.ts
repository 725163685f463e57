// A client in Node, by its own WebSocket and its own fetch, of a session in a workerd.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/core/sdk-message.ts';
import { connectSession } from '../../src/wire/connect-session.ts';
import { fetchTicket } from '../../src/wire/fetch-ticket.ts';
import type { Transport } from '../../src/wire/keep-link.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { buildKillableWorkerd } from '../support/killable-workerd.ts';
import type { KillableWorkerd } from '../support/killable-workerd.ts';
import { texts } from '../support/open-sessions.ts';

let workerd: KillableWorkerd;
let address: string;

beforeAll(async () => {
  workerd = await buildKillableWorkerd({
    main: 'test/support/wire-main.ts',
    hear: () => undefined,
  });
  await workerd.start();
  address = await workerd.address();
});

afterAll(() => workerd.close());

describe('a session in a workerd', () => {
  it.each<Transport>(['socket', 'events'])(
    'is driven from Node by %s: a question, its answer, files, and what another one is told',
    async (transport) => {
      const url = `${address}${transport}/wire`;
      const connect = (role: WireRole) =>
        connectSession(url, { transport, ticket: () => fetchTicket(url, { 'x-role': role }) });
      const owner = await connect('owner');
      const viewer = await connect('views');
      const told: SDKMessage[] = [];
      void (async () => {
        for await (const message of viewer.messages()) told.push(message);
      })();
      const files = await viewer.followFiles();
      await owner.send('write afar');
      await expect.poll(() => owner.questions().length).toBe(1);
      await owner.answer(owner.questions()[0]?.requestId ?? '', { behavior: 'allow' });
      await expect.poll(() => texts(told).at(-1)).toBe('assistant: Done.');
      expect(await files.fs.readFile('/workspace/a.txt', 'utf8')).toBe('afar');
      await expect(viewer.send('Me too.')).rejects.toMatchObject({ code: 'permission-denied' });
      await expect(connectSession(url, { transport, ticket: 'forged' })).rejects.toMatchObject({
        code: 'permission-denied',
      });
      await owner.close();
      await viewer.close();
    },
  );
});
