// Sessions that an owner's directory in a real Durable Object deletes, and those whose deletion comes to no end.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { createSessionDirectory, type DirectoryObject } from '../../src/edge.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';

const usage = { input_tokens: 100, output_tokens: 20 };

function inDirectory(
  name: string,
  deleteSession: (id: string) => Promise<void>,
  run: (directory: DirectoryObject) => Promise<void>,
): Promise<void> {
  let time = 1_000_000_000;
  return runInDurableObject(env.STORE.getByName(`deleted sessions, ${name}`), (_instance, ctx) =>
    run(createSessionDirectory(ctx, { deleteSession, now: () => (time += 1_000) })),
  );
}

const ids = async (directory: DirectoryObject) => (await directory.list()).map(({ id }) => id);

it('deletes a session by its object, once, and doesn’t list it meanwhile', async () => {
  const asked: string[] = [];
  const { promise: ended, resolve: end } = createDeferred();
  const deleteSession = async (id: string) => {
    asked.push(id);
    await ended;
  };
  await inDirectory('deleted', deleteSession, async (directory) => {
    await directory.register({ id: 'a' });
    await directory.register({ id: 'b' });
    const deleted = directory.delete('a');
    expect(await ids(directory)).toEqual(['b']);
    expect(await directory.beginTurn({ session: 'a' })).toEqual({
      allowed: false,
      reason: 'This session is being deleted.',
    });
    end();
    await deleted;
    await directory.delete('a');
    expect(asked).toEqual(['a']);
    // What a turn of it says afterwards makes no new one.
    await directory.endTurn({ session: 'a', n: 3, usage, usd: 0 });
    expect(await ids(directory)).toEqual(['b']);
  });
});

it('lists a session whose deletion has failed, or was lost with the instance, until it is deleted', async () => {
  const name = 'half deleted';
  const failing = () => Promise.reject(new Error('out of reach'));
  const midway = 'The deletion of this session has failed midway. Delete it again.';
  await inDirectory(name, failing, async (directory) => {
    await directory.register({ id: 'b' });
    await directory.register({ id: 'a', title: 'A' });
    await expect(directory.delete('a')).rejects.toThrow('out of reach');
    expect(await directory.list()).toMatchObject([
      { id: 'a', title: 'A', isHalfDeleted: true },
      { id: 'b', isHalfDeleted: false },
    ]);
    expect(await directory.beginTurn({ session: 'a' })).toEqual({ allowed: false, reason: midway });
    await expect(directory.rename('a', 'x')).rejects.toThrow(midway);
    // A Worker that asks whether it may be opened lets nobody in.
    expect(await directory.find('a')).toBeUndefined();
  });
  const silent = () => new Promise<void>(() => undefined);
  await inDirectory(name, silent, async (directory) => {
    void directory.delete('b');
    expect(await ids(directory)).toEqual(['a']);
  });
  await evictDurableObject(env.STORE.getByName(`deleted sessions, ${name}`));
  await inDirectory(
    name,
    async () => undefined,
    async (directory) => {
      expect(await directory.list()).toMatchObject([
        { id: 'a', isHalfDeleted: true },
        { id: 'b', isHalfDeleted: true },
      ]);
      await directory.delete('a');
      await directory.delete('b');
      expect(await directory.list()).toEqual([]);
    },
  );
});
