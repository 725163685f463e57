// What becomes of a write that doesn't fit, in a Firefox that was started with little room (see
// vitest.config.ts). The tests in test/browser lower the quota by Chromium's own means.
import { wrap } from 'comlink';
import { describe, expect, it } from 'vitest';
import { deleteIdbLog, openIdbLog } from '../../src/workspace/drivers/idb-log.ts';
import type { Answer, OpfsLogControl } from '../browser/storage/opfs-log.worker.ts';
import { areSame, patternOf, refusalOf } from '../contract/log-medium.contract.ts';

/** More than the origin may still have, by a megabyte. */
async function tooMuch(): Promise<number> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  // Else it isn't the Firefox of this lane, and the write below would really be carried out.
  expect(quota).toBeLessThan(150_000_000);
  return quota - usage + 1_000_000;
}

/** Firefox compresses what it keeps in IndexedDB: zeros would fit. */
function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  // 64 KB: the most that may be asked for at once.
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  return bytes;
}

function valueOf<Value>(answer: Answer<Value>): Value {
  if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.value;
}

describe('a full disk', () => {
  it('makes opfs-log reject a write with ENOSPC, change nothing, and go on', async () => {
    const name = `full-disk-${crypto.randomUUID()}`;
    const url = new URL('../browser/storage/opfs-log.worker.ts', import.meta.url);
    const worker = new Worker(url, { type: 'module' });
    const fs = wrap<OpfsLogControl>(worker);
    try {
      valueOf(await fs.open(name));
      valueOf(await fs.write('/a', 'A'));
      const hash = valueOf(await fs.treeHash());
      const { error } = await fs.writeZeros('/large', await tooMuch());
      expect([error?.code, error?.message.slice(0, 44)]).toEqual([
        'ENOSPC',
        'ENOSPC: no space left: nothing was written. ',
      ]);
      expect(valueOf(await fs.treeHash())).toBe(hash);
      expect(valueOf(await fs.info()).seq).toBe(1);
      valueOf(await fs.write('/b', 'B'));
      expect(valueOf(await fs.list())).toEqual(['a', 'b']);
      valueOf(await fs.close());
      valueOf(await fs.delete(name));
    } finally {
      worker.terminate();
    }
  });

  it('makes idb-log reject an append with ENOSPC, change nothing, and go on', async () => {
    const name = `full-disk-${crypto.randomUUID()}`;
    const medium = await openIdbLog(name);
    const file = await medium.create('a');
    const whole = patternOf(200_000);
    await file.append(whole.slice(0, 1000), 'power');
    const large = randomBytes(await tooMuch());
    expect(await refusalOf(() => file.append(large, 'process'))).toBe('ENOSPC');
    expect([file.length(), await medium.list()]).toEqual([1000, [{ name: 'a', length: 1000 }]]);
    const kept = await (await medium.open('a')).read(0, 1000);
    expect(areSame(kept, whole.subarray(0, 1000))).toBe(true);
    await file.append(whole.slice(1000), 'power');
    const opened = await medium.open('a');
    expect(await medium.list()).toEqual([{ name: 'a', length: 200_000 }]);
    for (const each of [file, opened]) {
      expect(areSame(await each.read(0, 200_000), whole)).toBe(true);
      expect(areSame(await each.read(70_000, 60_000), whole.subarray(70_000, 130_000))).toBe(true);
    }
    await medium.close();
    await deleteIdbLog(name);
  });
});
