// Two workers that take one directory over, whatever way each of them marks it.
import { afterEach, describe, expect, it } from 'vitest';
import { startRemote, terminateRemotes } from '../../support/browser/remote-workers.ts';
import ownerWorker from './opfs-owner.worker.ts?worker&url';
import type { OwnerControl } from './opfs-owner.worker.ts';

const start = () => startRemote<OwnerControl>(ownerWorker).fs;

const newName = () => `opfs-owner test ${crypto.randomUUID()}`;

afterEach(terminateRemotes);

const canShareHere = await start().canShare(newName());
const ways = canShareHere ? [false, true] : [false];
const pairs = ways.flatMap((first) => ways.map((second) => ({ first, second })));

describe('the owner of a directory', () => {
  it.each(pairs)('is the last that took it (shared: $first, then $second)', async (shared) => {
    const name = newName();
    const [one, other] = [start(), start()];
    const first = await one.take(name, shared.first);
    expect(await one.check([first])).toEqual(['owner']);
    const second = await other.take(name, shared.second);
    expect(await one.check([first])).toEqual(['EFENCED']);
    expect(await other.check([second])).toEqual(['owner']);

    // And so on, also beside those that have lost it and live on.
    const third = await one.take(name, shared.first);
    expect(await other.check([second])).toEqual(['EFENCED']);
    expect(await one.check([first, third])).toEqual(['EFENCED', 'owner']);
  });

  it.each(ways)('leaves nothing behind when it gives it up (shared: %s)', async (shared) => {
    const name = newName();
    const fs = start();
    const numbers = [await fs.take(name, shared), await fs.take(name, shared)];
    for (const number of numbers) await fs.release(number);
    expect(await fs.list(name)).toBe(0);
  });

  it.runIf(canShareHere).each([false, true])(
    'is none of two that took it at the same time, rather than both (marker open: %s)',
    async (isOpen) => {
      const fs = start();
      const told = await fs.check(await fs.takeAtOnce(newName(), isOpen));
      // A file that was removed before it was opened takes no bytes: to Chromium it is on a full disk.
      expect(told).toEqual([isOpen ? 'EFENCED' : 'ENOSPC', 'EFENCED']);
    },
  );
});
