import { expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { FetchedContents } from '../../../src/workspace/draft/fetched-contents.ts';

/** Content 1 is here, others are in a bucket: 9 MB each. */
function openHeld() {
  const asked: number[] = [];
  const held = new FetchedContents({
    readSync(contentId) {
      if (contentId === 1) return new Uint8Array([1]);
      throw new SdkError('unsupported-environment', 'It is in a bucket.');
    },
    async readMany(contentIds) {
      asked.push(...contentIds);
      return contentIds.map(() => new Uint8Array(9_000_000));
    },
  });
  return { held, asked };
}

it('notes a content that can’t be read at once, and has it when it was brought', async () => {
  const { held, asked } = openHeld();
  expect(held.readSync(1)).toEqual(new Uint8Array([1]));
  expect(held.isAbsent).toBe(false);
  await held.bring();
  expect(() => held.readSync(2)).toThrow('It is in a bucket.');
  expect(held.isAbsent).toBe(true);
  await held.bring();
  expect(held.isAbsent).toBe(false);
  expect(held.readSync(2)).toHaveLength(9_000_000);
  expect(asked).toEqual([2]);
});

it('refuses to hold more than 32 MB', async () => {
  const { held } = openHeld();
  for (const contentId of [2, 3, 4]) {
    expect(() => held.readSync(contentId)).toThrow('It is in a bucket.');
    await held.bring();
  }
  expect(() => held.readSync(5)).toThrow('It is in a bucket.');
  await expect(held.bring()).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('Read fewer of them at once.'),
  });
});
