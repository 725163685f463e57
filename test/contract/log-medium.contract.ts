// What every LogMedium promises, as one suite over an adapter, which opens media on one place again
// and again: as the next owner, and as one that takes over from a former owner that still runs.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../src/core/errors.ts';
import type { AppendFile, LogMedium, ReadFile } from '../../src/workspace/log/log-medium.ts';

/** One place that media are opened on. */
export interface MediumPlace {
  /** Opens the medium; a former owner, if there is one, has been closed. */
  open(): Promise<LogMedium>;
  /** Opens it although a former owner still has it, as after a worker's end that came too late. */
  takeOver(): Promise<LogMedium>;
}

/** Gives the body of a test a fresh place, in the realm where there is one, and clears it away. */
export type WithPlace = (body: (place: MediumPlace) => Promise<void>) => Promise<void>;

export interface MediumTraits {
  readonly driver: string;
  readonly isPersistent: boolean;
  /**
   * Are a former owner's writes refused, or only told apart by `checkFence` and files' names? Or can
   * there be no former owner, as only who holds the medium knows it?
   */
  readonly formerOwner: 'refused' | 'told apart' | 'none';
  /** Does `create` replace a file that is there, or refuse with `EEXIST`? */
  readonly replaces: boolean;
  readonly readsAtOnce: boolean;
}

/** The error code of what a call throws or rejects with, and what kind of error it is. */
export async function refusalOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return SdkError.isInstance(error) ? error.code : `not ours: ${String(error)}`;
  }
  return 'none';
}

/** Bytes that differ from each of their neighbours' places, so that a shifted read shows. */
export function patternOf(length: number, seed = 0): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed + 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

/** Whole-value equality without the minutes that a deep comparison of megabytes takes. */
export function areSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

async function lengthsOf(medium: LogMedium): Promise<Record<string, number>> {
  const files = await medium.list();
  return Object.fromEntries(
    files.map(({ name, length }) => [name, length] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function textOf(file: ReadFile, offset: number, length: number): Promise<string> {
  return new TextDecoder().decode(await file.read(offset, length));
}

export function describeLogMedium(traits: MediumTraits, withPlace: WithPlace): void {
  describe(`${traits.driver} as a LogMedium`, () => {
    let place: MediumPlace;
    let medium: LogMedium;

    const claim = (sentence: string, body: () => Promise<void>): void => {
      it(sentence, () =>
        withPlace(async (fresh) => {
          place = fresh;
          medium = await place.open();
          try {
            await body();
          } finally {
            await medium.close();
          }
        }),
      );
    };

    const create = async (name: string, content = ''): Promise<AppendFile> => {
      const file = await medium.create(name);
      if (content) await file.append(text(content), 'power');
      return file;
    };

    claim('says what it is, and is empty at first', async () => {
      const { driver, isPersistent } = medium;
      expect([driver, isPersistent, await medium.list()]).toEqual([
        traits.driver,
        traits.isPersistent,
        [],
      ]);
    });

    claim('reads back what was appended, in both durabilities and by any range', async () => {
      const file = await create('segment-1');
      await file.append(text('abc'), 'process');
      await file.append(text(''), 'power');
      await file.append(text('defgh'), 'power');
      expect([file.length(), await lengthsOf(medium)]).toEqual([8, { 'segment-1': 8 }]);
      const ranges = [];
      for (const [offset, length] of [
        [0, 8],
        [2, 2],
        [3, 5],
        [7, 1],
        [8, 0],
        [0, 0],
      ] as const) {
        ranges.push(await textOf(file, offset, length));
      }
      expect(ranges).toEqual(['abcdefgh', 'cd', 'defgh', 'h', '', '']);
    });

    claim('gives the bytes away of files that other realms can read', async () => {
      const file = await create('a', 'abcdef');
      if (!(await file.blob?.())) return;
      const read = await file.read(1, 4);
      expect([read.length, read.buffer.byteLength]).toEqual([4, 4]);
      read.fill(0);
      expect(await textOf(file, 0, 6)).toBe('abcdef');
    });

    claim('refuses with EIO to read beyond the end or outside of a file', async () => {
      const created = await create('a', 'abc');
      const opened = await medium.open('a');
      const ranges = [
        [0, 4],
        [3, 1],
        [4, 0],
        [-1, 1],
        [0, -1],
        [0.5, 1],
      ] as const;
      for (const [offset, length] of ranges) {
        const refusals = [];
        for (const file of [created, opened]) {
          refusals.push(await refusalOf(() => file.read(offset, length)));
        }
        expect([offset, length, ...refusals]).toEqual([offset, length, 'EIO', 'EIO']);
      }
    });

    claim(
      'opens files to read what others appended, and has ENOENT for what is not there',
      async () => {
        await create('a', 'first');
        await create('b', 'second');
        const file = await medium.open('b');
        expect(await textOf(file, 1, 3)).toBe('eco');
        expect(await refusalOf(() => file.read(0, 7))).toBe('EIO');
        await file.close();
        expect(await refusalOf(() => medium.open('c'))).toBe('ENOENT');
      },
    );

    claim(
      'makes an empty file of a name that was there, or leaves the one that is there',
      async () => {
        await (await create('image-0', 'a long former content')).close();
        if (traits.replaces) {
          const file = await create('image-0');
          expect([file.length(), await lengthsOf(medium)]).toEqual([0, { 'image-0': 0 }]);
          await file.close();
        } else {
          expect(await refusalOf(() => medium.create('image-0'))).toBe('EEXIST');
          const former = await medium.open('image-0');
          expect(await textOf(former, 0, 6)).toBe('a long');
          await former.close();
          await medium.remove('image-0');
        }
        const file = await create('image-0', 'new');
        expect([file.length(), await lengthsOf(medium)]).toEqual([3, { 'image-0': 3 }]);
        expect(await textOf(await medium.open('image-0'), 0, 3)).toBe('new');
      },
    );

    claim('removes files, also twice, and no others whose names begin alike', async () => {
      await (await create('a', 'A')).close();
      await create('a-1', 'B');
      await medium.remove('a');
      await medium.remove('a');
      expect(await lengthsOf(medium)).toEqual({ 'a-1': 1 });
      expect(await refusalOf(() => medium.open('a'))).toBe('ENOENT');
      expect(await textOf(await medium.open('a-1'), 0, 1)).toBe('B');
    });

    for (const length of [0, 1, 3, 5, 6, 9]) {
      claim(`cuts a file off at ${length} and goes on from there`, async () => {
        const file = await create('a', 'abc');
        await file.append(text('def'), 'process');
        await file.append(text('ghi'), 'process');
        await file.truncate(length);
        expect([file.length(), await lengthsOf(medium)]).toEqual([length, { a: length }]);
        await file.append(text('XYZ'), 'power');
        expect(await textOf(file, 0, length + 3)).toBe(`${'abcdefghi'.slice(0, length)}XYZ`);
        expect(await refusalOf(() => file.read(0, length + 4))).toBe('EIO');
      });
    }

    claim('keeps hundreds of small appends in order, and a later owner reads them', async () => {
      const whole = patternOf(60_000);
      const file = await medium.create('a');
      for (let at = 0; at < whole.length; at += 200) {
        await file.append(whole.slice(at, at + 200), 'process');
      }
      expect(areSame(await file.read(0, 60_000), whole)).toBe(true);
      expect(areSame(await file.read(12_345, 40_000), whole.subarray(12_345, 52_345))).toBe(true);
      await medium.close();
      medium = await place.open();
      const again = await medium.open('a');
      expect(areSame(await again.read(0, 60_000), whole)).toBe(true);
      expect(areSame(await again.read(8_191, 3), whole.subarray(8_191, 8_194))).toBe(true);
    });

    claim('takes 5 MB at a time and reads ranges over every border in it', async () => {
      const whole = patternOf(5_000_003);
      const file = await create('a', 'head');
      await file.append(whole.slice(), 'power');
      await file.append(text('tail'), 'process');
      expect(areSame(await file.read(4, whole.length), whole)).toBe(true);
      for (const size of [60 * 1024, 64 * 1024, 1024 * 1024]) {
        const at = size * 3 - 7;
        expect(areSame(await file.read(4 + at, 15), whole.subarray(at, at + 15))).toBe(true);
        const part = await file.read(at, size + 20);
        expect(areSame(part, whole.subarray(at - 4, at + size + 16))).toBe(true);
      }
      expect(await textOf(file, file.length() - 4, 4)).toBe('tail');
      await file.truncate(3_333_333);
      expect(areSame(await file.read(4, 3_333_329), whole.subarray(0, 3_333_329))).toBe(true);
      expect(await lengthsOf(medium)).toEqual({ a: 3_333_333 });
    });

    claim('reads while something is being appended', async () => {
      const whole = patternOf(1_000_000);
      const file = await medium.create('a');
      await file.append(whole.slice(0, 500_000), 'process');
      const appending = file.append(whole.slice(500_000), 'power');
      const before = await file.read(100_000, 400_000);
      await appending;
      expect(areSame(before, whole.subarray(100_000, 500_000))).toBe(true);
      expect(areSame(await file.read(0, 1_000_000), whole)).toBe(true);
    });

    claim(
      'does not see later changes of a buffer that a caller reuses after the append',
      async () => {
        // The bytes are given away; what surrounds a view of a larger buffer is not.
        const buffer = text('....abc....');
        const file = await medium.create('a');
        await file.append(buffer.subarray(4, 7), 'power');
        buffer.fill(0, 0, 4);
        buffer.fill(0, 7);
        expect([await textOf(file, 0, 3), await lengthsOf(medium)]).toEqual(['abc', { a: 3 }]);
      },
    );

    claim('reads at once where it can', async () => {
      const file = await create('a', 'abcdef');
      const opened = await medium.open('a');
      const read = [file, opened].map((each) => each.readSync?.(2, 3));
      const expected = traits.readsAtOnce ? text('cde') : undefined;
      expect(read).toEqual([expected, expected]);
      if (traits.readsAtOnce) expect(await refusalOf(() => file.readSync?.(0, 7))).toBe('EIO');
    });

    claim(
      'keeps all files for the next owner, and gives the ownership up when it is closed',
      async () => {
        await create('a', 'A');
        await create('image-1', 'B');
        await medium.checkFence();
        await medium.close();
        await medium.close();
        const next = await place.open();
        expect(await lengthsOf(next)).toEqual({ a: 1, 'image-1': 1 });
        await next.checkFence();
        expect(await textOf(await next.open('a'), 0, 1)).toBe('A');
        await next.close();
      },
    );

    if (traits.formerOwner === 'none') return;

    claim('fences a former owner, whose acknowledged bytes are all there', async () => {
      const file = await create('segment-1', 'acknowledged');
      await medium.checkFence();
      const next = await place.takeOver();
      try {
        expect(await lengthsOf(next)).toEqual({ 'segment-1': 12 });
        expect(await textOf(await next.open('segment-1'), 0, 12)).toBe('acknowledged');
        expect(await refusalOf(() => medium.checkFence())).toBe('EFENCED');
        await next.checkFence();
        const own = await next.create('segment-2');
        await own.append(text('next'), 'power');
        await next.checkFence();
        // Again and for ever: one refusal is not forgotten.
        expect(await refusalOf(() => medium.checkFence())).toBe('EFENCED');
        if (traits.formerOwner === 'refused') {
          const late = text('late');
          expect(await refusalOf(() => file.append(late, 'power'))).toBe('EFENCED');
          expect(await refusalOf(() => file.truncate(0))).toBe('EFENCED');
          expect(await refusalOf(() => medium.create('segment-2'))).toBe('EFENCED');
          expect(await refusalOf(() => medium.remove('segment-1'))).toBe('EFENCED');
          expect(await lengthsOf(next)).toEqual({ 'segment-1': 12, 'segment-2': 4 });
        }
        expect(await textOf(own, 0, 4)).toBe('next');
      } finally {
        await next.close();
      }
    });
  });
}
