// A client in Node, by its own WebSocket and its own fetch, of a session in a workerd.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/core/sdk-message.ts';
import type { AgentSession } from '../../src/agent/agent-session.ts';
import { openSession } from '../../src/agent/open-session.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { connectSession } from '../../src/wire/connect-session.ts';
import { fetchTicket } from '../../src/wire/fetch-ticket.ts';
import type { Transport } from '../../src/wire/keep-link.ts';
import { bringBack } from '../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../src/wire/handover/move-session.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { buildKillableWorkerd } from '../support/killable-workerd.ts';
import type { KillableWorkerd } from '../support/killable-workerd.ts';
import { isResult, readUntil, texts } from '../support/open-sessions.ts';
import { createWireModel } from '../support/wire-model.ts';

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

  it('takes a session of a tab in the middle of a question, is killed by KILLS=1, and gives it back', async () => {
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    let url = `${address}moved/wire`;
    const ticket = () => fetchTicket(url, { 'x-role': 'owner' });
    const here = await openSession({ host, model: createWireModel(), sessionId: 'of-a-tab' });
    await here.send('write moved');
    await expect.poll(() => here.questions().length, inTime).toBe(1);
    await host.workspace.fs.writeFile('/workspace/mine.txt', 'mine');

    let there: AgentSession = await here.moveTo(url, { ticket });
    await expect(
      openSession({ host, model: createWireModel(), resume: 'of-a-tab' }),
    ).rejects.toThrow(`The session of-a-tab runs at ${url} now.`);
    // In the slow lane: to start it again takes as long as all the rest.
    if (process.env['KILLS']) {
      workerd.kill();
      await workerd.start();
      url = `${await workerd.address()}moved/wire`;
      there = await connectSession(url, { ticket });
    }
    expect(there.id).toBe('of-a-tab');
    await expect.poll(() => there.questions().length, inTime).toBe(1);
    await there.answer(there.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    await expect.poll(() => there.state(), inTime).toBe('idle');
    await there.close();

    const { sessionId } = await bringBack(url, { host, ticket });
    const back = await openSession({ host, model: createWireModel(), resume: sessionId });
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('moved');
    const told = await readUntil(back, isResult);
    expect(texts(told)).toEqual([
      'user: write moved',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: Done.',
    ]);
    await expect(
      moveSession(sessionId, url, { host, ticket: () => 'forged' }),
    ).rejects.toMatchObject({
      code: 'permission-denied',
    });
    await back.close();
    await host[Symbol.asyncDispose]();
  });
});

/** The machine may be busy. */
const inTime = { timeout: 30_000 };
