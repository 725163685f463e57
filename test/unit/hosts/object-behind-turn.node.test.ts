// What waits until no turn runs, while the turn waits for a person: the object sleeps all the same.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { createSessionObject } from '../../../src/hosts/edge/object/create-session-object.ts';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { ringByHand } from '../../support/edge/hand-rung.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

async function openObject() {
  const file = await openSqliteStorage(':memory:');
  onTestFinished(() => file[Symbol.dispose]());
  const id = { toString: () => 'session' };
  const rung = ringByHand({ id, storage: { ...file, sync: async () => undefined } });
  const object = createSessionObject(rung.ctx, {
    wasm: await loadQuickjsWasm(),
    model: createWireModel(),
  } as never);
  /** Rings whatever is set, until it is so. */
  const ringUntil = async (isSo: () => boolean) => {
    while (!isSo()) {
      if (rung.at() === null) await new Promise((resolve) => setTimeout(resolve));
      else await object.alarm();
    }
  };
  return { object, rung, ringUntil };
}

it.each<[string, (session: AgentSession) => Promise<unknown>]>([
  ['fork', (session) => session.fork()],
  ['compaction', (session) => session.compact()],
  ['rewind', (session) => session.rewind('x')],
  ['undo', (session) => session.undo()],
  ['rewind of files', (session) => session.rewindFiles('x')],
])('gives a %s up, with what to do, and sleeps', async (_, ask) => {
  const { object, rung, ringUntil } = await openObject();
  const session = await object.session();
  await session.send('write x');
  await ringUntil(() => session.questions().length > 0);
  let refusal = '';
  ask(session).catch((error: unknown) => (refusal = String(error)));
  await ringUntil(() => refusal !== '');
  expect(refusal).toContain('Answer the question, or stop the turn');
  await ringUntil(() => rung.at() === null);
});
