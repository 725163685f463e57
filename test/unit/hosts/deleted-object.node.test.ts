// A session's object that is deleted, and what its owner's directory knows of it afterwards.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import { createSessionDirectory } from '../../../src/hosts/edge/directory/create-session-directory.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { DirectoryPort } from '../../../src/hosts/edge/directory/session-directory.ts';
import { createSessionObject } from '../../../src/hosts/edge/object/create-session-object.ts';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { ringByHand } from '../../support/edge/hand-rung.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

async function openStorage() {
  const file = await openSqliteStorage(':memory:');
  onTestFinished(() => file[Symbol.dispose]());
  return { ...file, sync: async () => undefined };
}

/** An object and its directory. `late`: what of the port reaches the directory, and when. */
async function open(late: (port: DirectoryPort) => DirectoryPort = (port) => port) {
  const directory = createSessionDirectory(
    { storage: await openStorage() },
    { deleteSession: () => object.deleteArchive() },
  );
  const id = { toString: () => 'session' };
  const rung = ringByHand({ id, storage: await openStorage() });
  const object = createSessionObject(rung.ctx, {
    wasm: await loadQuickjsWasm(),
    model: createWireModel(),
    directory: late(directory),
  } as never);
  const ring = async () => {
    while ((rung.at() ?? Infinity) <= Date.now()) await object.alarm();
  };
  return { directory, object, ring };
}

it('a prompt to a session that was deleted brings no entry of it back', async () => {
  const { directory, object, ring } = await open();
  const session = await object.session();
  await session.send('Hello.');
  await ring();
  await directory.delete('session');
  await expect(session.send('Are you there?')).rejects.toThrow('is being deleted');
  await expect(session.compact()).rejects.toThrow('is being deleted');
  expect(await directory.list()).toEqual([]);
});

it('a question that is on its way when it is deleted is waited for', async () => {
  const { promise: passed, resolve: pass } = createDeferred();
  const { promise: isAsked, resolve: hear } = createDeferred();
  const { directory, object } = await open((port) => ({
    ...port,
    async beginTurn(turn) {
      hear();
      await passed;
      return port.beginTurn(turn);
    },
  }));
  await directory.register({ id: 'session' });
  const sending = (await object.session()).send('Hello.');
  const refused = expect(sending).rejects.toThrow('This session is being deleted.');
  await isAsked;
  const deleted = directory.delete('session');
  // More than it takes where nothing is waited for.
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setTimeout(resolve));
  pass();
  await Promise.all([refused, deleted]);
  expect(await directory.list()).toEqual([]);
});
