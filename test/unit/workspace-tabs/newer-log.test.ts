// A tab of this version beside a log that a later version has taken over: it says so, and harms nothing.
import { expect, it } from 'vitest';
import { checksum } from '../../../src/core/hashes/checksum.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { TabWorld } from './tab-world.ts';

async function contentsOf(medium: LogMedium): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const { name, length } of await medium.list()) {
    contents[name] = (await (await medium.open(name)).read(0, length)).join();
  }
  return contents;
}

/** The head of a segment, as a later version writes it. */
function newerHeader(): Uint8Array {
  const bytes = new Uint8Array(116);
  new TextEncoder().encodeInto('RKPLLOG\n', bytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, 5, true);
  view.setUint32(12, checksum(bytes.subarray(0, 12)), true);
  return bytes;
}

it('an old tab beside a log of a newer format is refused with a sentence, and leaves it untouched', async () => {
  const disk = createMemoryMedium();
  const world = new TabWorld(disk);
  const old = await world.join('old');
  await old.workspace.fs.writeFile('/a', 'A');
  // A tab of a later version, whose messages this one doesn't understand, has taken the lock and the log.
  world.fence();
  const newer = newerHeader();
  await (await disk.create('segment-00000009-000000')).append(newer, 'power');
  // By this one it learns that it leads no more. It writes to its own segment, whose end the later one doesn't count.
  const writing = Promise.allSettled([old.workspace.fs.writeFile('/b', 'B')]);
  await world.pass(2000);
  const before = await contentsOf(disk);
  expect(before['segment-00000009-000000']).toBe(newer.join());

  const { joined } = world.open('another old one');
  const joining = Promise.allSettled([joined]);
  await world.pass(10_000);
  const refused = {
    status: 'rejected',
    reason: {
      code: 'EIO',
      message: expect.stringContaining(
        'format 5, this version of Rockpool reads up to 4; it was left untouched. Reload the page if it was open while ' +
          'it was updated',
      ) as string,
    },
  };
  expect(await joining).toMatchObject([refused]);
  expect(await writing).toMatchObject([refused]);
  expect(old.errors).toContainEqual(expect.objectContaining(refused.reason));
  expect(await contentsOf(disk)).toEqual(before);
});
