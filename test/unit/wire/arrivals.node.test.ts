// A session that arrives at an object whose own, empty one is open. What is sent meanwhile is part
// of one of them, and the other doesn't stay.
import { expect, it, onTestFinished } from 'vitest';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { createSessionObject } from '../../../src/edge.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import type { MoveServer } from '../../../src/wire/move-server.ts';
import { ringByHand } from '../../support/edge/hand-rung.ts';
import { atOnce } from '../../support/wire/moving-places.ts';
import { isResult, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';

const url = 'https://cloud.example/wire';

/** Moves a session to an object. A prompt is sent there at that statement of its database, counted from the take-over. */
async function sendAt(statement: number) {
  const file = await openSqliteStorage(':memory:');
  onTestFinished(() => file[Symbol.dispose]());
  let count = -Infinity;
  let sending: Promise<unknown> | undefined;
  const prompt = async () => (await object.session()).send('Two.');
  const note = () => {
    if (count++ === statement) queueMicrotask(() => (sending = prompt()));
  };
  const exec: typeof file.sql.exec = (...given) => {
    note();
    return file.sql.exec(...given);
  };
  const storage = { ...file, sql: { ...file.sql, exec }, sync: async () => undefined };
  const { ctx, at } = ringByHand({ id: { toString: () => 'object' }, storage });
  let serve: MoveServer | undefined;
  const object = createSessionObject(ctx, {
    wasm: await loadQuickjsWasm(),
    model: listModel('claude-test', [says('2.')]),
    sessionId: 'own',
    wire(_session, _files, moves) {
      serve = moves;
      return { ...silent };
    },
  });
  await object.session();
  const host = await createInlineHost();
  const model = listModel('claude-test', [says('1.')]);
  const here = await openSession({ host, model, sessionId: 'moving' });
  const { n } = await here.send('One.');
  await readUntil(here, isResult, n);
  await here.close();
  const moving = moveSession('moving', url, {
    host,
    ticket: () => 'a ticket',
    clock: atOnce,
    async fetch(_url: unknown, init?: RequestInit) {
      const body = init?.body as Uint8Array<ArrayBuffer>;
      if ((await decodeFrame(body)).fields['type'] === 'take') count = 0;
      return new Response(await serve?.(body));
    },
  });
  await moving;
  count = -Infinity;
  expect(sending).toBeDefined();
  await sending;
  while ((at() ?? Infinity) <= Date.now()) await object.alarm();
  const told = await readUntil(
    await object.session(),
    (one) => texts([one])[0] === 'assistant: 2.',
  );
  await object.release();
  return texts(told);
}

const silent = {
  fetch: async () => undefined,
  webSocketMessage: async () => false,
  webSocketClose: async () => false,
  webSocketError: async () => false,
};

it.each([0, 1, 3, 5, 8, 13])(
  'a prompt at statement %i of the take-over is part of the session that arrives',
  async (statement) => {
    const whole = ['user: One.', 'assistant: 1.', 'user: Two.', 'assistant: 2.'];
    expect(await sendAt(statement)).toEqual(whole);
  },
  // A prompt that is lost has no reply.
  10_000,
);
