// A worker that is busy writing while another one takes its workspace over. It still writes for a
// while after it was terminated (2 s in Chromium).
import { afterEach, describe, expect, it } from 'vitest';
import logWorker from './opfs-log.worker.ts?worker&url';
import type { OpfsLogControl } from './opfs-log.worker.ts';
import zombieWorker from './opfs-zombie.worker.ts?worker&url';
import type { ZombieControl } from './opfs-zombie.worker.ts';
import { startRemote, terminateRemotes, valueOf } from '../../support/browser/remote-workers.ts';

function startOwner() {
  return startRemote<OpfsLogControl>(logWorker);
}

async function lengthOf(name: string, file: string): Promise<number> {
  let directory = await navigator.storage.getDirectory();
  for (const part of ['rockpool', encodeURIComponent(name)]) {
    directory = await directory.getDirectoryHandle(part);
  }
  return (await (await directory.getFileHandle(file)).getFile()).size;
}

afterEach(terminateRemotes);

// 60 s: what takes 4 s by itself took 10 on a machine that was busy with other things.
describe('opfs-log beside a former owner that writes all the time', { timeout: 600_000 }, () => {
  it('counts nothing that it adds from the takeover on, until it is dead and after', async () => {
    const name = `opfs-zombie test ${crypto.randomUUID()}`;
    const lifeLock = `life of ${name}`;
    const zombie = startRemote<ZombieControl>(zombieWorker);
    await zombie.fs.open(name, lifeLock);

    const { worker, fs: owner } = startOwner();
    const { seq: taken } = valueOf(await owner.takeOver(name));
    const added = () => lengthOf(name, 'segment-00000001-000000');
    const before = await added();
    // What was whole by then counts, as what was under way always may.
    const forged = Array.from({ length: taken - 1 }, (_, at) => `forged-${at + 2}`);
    expect(valueOf(await owner.list())).toEqual(['a', ...forged].sort());

    // It reads and writes while the zombie adds to the very file that it reads.
    let writes = 0;
    const work = async () => {
      valueOf(await owner.write('/b', `text ${(writes += 1)}`));
      expect(valueOf(await owner.read('/a'))).toBe('text of a');
    };
    for (let turn = 0; turn < 20 || (await added()) === before; turn += 1) await work();
    zombie.worker.terminate();
    let isDead = false;
    const death = navigator.locks.request(lifeLock, () => (isDead = true));
    while (!isDead) await work();
    await death;
    const hash = valueOf(await owner.treeHash());
    // It leaves no image: the next one reads every record, the zombie's segment first.
    worker.terminate();
    expect(await added()).toBeGreaterThan(before);

    const { fs: next } = startOwner();
    const info = valueOf(await next.open(name));
    expect(info).toMatchObject({ seq: taken + writes, droppedBytes: 0, lostFiles: [] });
    expect(valueOf(await next.list())).toEqual(['a', 'b', ...forged].sort());
    expect(valueOf(await next.treeHash())).toBe(hash);
    expect(valueOf(await next.read('/b'))).toBe(`text ${writes}`);
  });

  it('lists what is left when one of its files goes meanwhile', async () => {
    const { fs } = startRemote<ZombieControl>(zombieWorker);
    const name = `opfs-zombie test ${crypto.randomUUID()}`;
    expect(await fs.listWhileOneGoes(name)).toEqual(['image-a']);
  });
});
