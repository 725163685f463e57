// The contract of LogMedium as a list of claims that any test runner can check. Each claim opens
// media on one place several times, as the next owner or as one that takes over. Exported by
// rockpool/testing, so it imports no test runner.
import { SdkError } from '../../core/errors.ts';
import { isSameData } from '../../core/values/same-data.ts';
import type { AppendFile, LogMedium, ReadFile } from '../log/log-medium.ts';

/** A place on which media are opened. */
export interface MediumPlace {
  /** Opens the medium after a former owner, if any, has closed it. */
  open(): Promise<LogMedium>;
  /**
   * Opens the medium while a former owner still has it, as after a worker that was terminated too
   * late.
   */
  takeOver(): Promise<LogMedium>;
}

/** Properties in which media may differ. */
export interface MediumTraits {
  /** The value of `medium.driver`. */
  readonly driver: string;
  /** The value of `medium.isPersistent`. */
  readonly isPersistent: boolean;
  /**
   * How a former owner is handled: its writes are refused; or only `checkFence` and the names of
   * files reveal it; or there can't be one, because only the holder of the medium knows the medium.
   */
  readonly formerOwner: 'refused' | 'told apart' | 'none';
  /** True if `create` replaces an existing file; false if it refuses with `EEXIST`. */
  readonly replaces: boolean;
  /** True if the files have `readSync`. */
  readonly readsAtOnce: boolean;
}

/** One claim about a medium. */
export interface LogMediumClaim {
  /** A sentence with the medium as its subject, for the name of a test. */
  readonly name: string;
  /**
   * Resolves if the claim holds on this place, which must be empty. Otherwise rejects with what is
   * wrong.
   */
  check(place: MediumPlace): Promise<void>;
}

/** Returns the kind and the code of the error that a call throws or rejects with. */
export async function refusalOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return SdkError.isInstance(error) ? error.code : `not ours: ${String(error)}`;
  }
  return 'none';
}

/** Returns bytes in which neighbours differ, so that a shifted read is detected. */
export function patternOf(length: number, seed = 0): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed + 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

/** Compares bytes quickly. A deep comparison of megabytes takes minutes. */
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

function equal(actual: unknown, expected: unknown): void {
  if (isSameData(actual, expected)) return;
  const message = `The medium breaks its contract: ${JSON.stringify(expected)} was expected, not ${JSON.stringify(actual)}.`;
  throw new SdkError('internal', message);
}

/** What a claim is checked on. */
interface Scene {
  readonly place: MediumPlace;
  /** Opened on the place, which is still empty. */
  readonly medium: LogMedium;
  /** Creates a file of the medium, and appends its content. */
  create(name: string, content?: string): Promise<AppendFile>;
}

/**
 * Lists the claims that a medium with these traits must fulfil. Run each claim as a test of your test runner. `check`
 * needs a new, empty place, which you remove afterwards.
 *
 * @example
 * ```ts
 * for (const { name, check } of listLogMediumClaims(traits)) {
 *   test(name, () => withFreshPlace(check));
 * }
 * ```
 */
export function listLogMediumClaims(traits: MediumTraits): readonly LogMediumClaim[] {
  const claims: LogMediumClaim[] = [];
  const claim = (name: string, body: (scene: Scene) => Promise<void>): void => {
    const check = async (place: MediumPlace): Promise<void> => {
      const medium = await place.open();
      const create = async (file: string, content = ''): Promise<AppendFile> => {
        const made = await medium.create(file);
        if (content) await made.append(text(content), 'power');
        return made;
      };
      try {
        await body({ place, medium, create });
      } finally {
        await medium.close();
      }
    };
    claims.push({ name, check });
  };

  claim('says what it is, and is empty at first', async ({ medium }) => {
    const { driver, isPersistent } = medium;
    equal([driver, isPersistent, await medium.list()], [traits.driver, traits.isPersistent, []]);
  });

  claim(
    'reads back what was appended, in both durabilities and by any range',
    async ({ medium, create }) => {
      const file = await create('segment-1');
      await file.append(text('abc'), 'process');
      await file.append(text(''), 'power');
      await file.append(text('defgh'), 'power');
      equal([file.length(), await lengthsOf(medium)], [8, { 'segment-1': 8 }]);
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
      equal(ranges, ['abcdefgh', 'cd', 'defgh', 'h', '', '']);
    },
  );

  claim('gives the bytes away of files that other realms can read', async ({ create }) => {
    const file = await create('a', 'abcdef');
    if (!(await file.blob?.())) return;
    const read = await file.read(1, 4);
    equal([read.length, read.buffer.byteLength], [4, 4]);
    read.fill(0);
    equal(await textOf(file, 0, 6), 'abcdef');
  });

  claim(
    'refuses with EIO to read beyond the end or outside of a file',
    async ({ medium, create }) => {
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
        equal([offset, length, ...refusals], [offset, length, 'EIO', 'EIO']);
      }
    },
  );

  claim(
    'opens files to read what others appended, and has ENOENT for what is not there',
    async ({ medium, create }) => {
      await create('a', 'first');
      await create('b', 'second');
      const file = await medium.open('b');
      equal(await textOf(file, 1, 3), 'eco');
      equal(await refusalOf(() => file.read(0, 7)), 'EIO');
      await file.close();
      equal(await refusalOf(() => medium.open('c')), 'ENOENT');
    },
  );

  claim(
    'makes an empty file of a name that was there, or leaves the one that is there',
    async ({ medium, create }) => {
      await (await create('image-0', 'a long former content')).close();
      if (traits.replaces) {
        const file = await create('image-0');
        equal([file.length(), await lengthsOf(medium)], [0, { 'image-0': 0 }]);
        await file.close();
      } else {
        equal(await refusalOf(() => medium.create('image-0')), 'EEXIST');
        const former = await medium.open('image-0');
        equal(await textOf(former, 0, 6), 'a long');
        await former.close();
        await medium.remove('image-0');
      }
      const file = await create('image-0', 'new');
      equal([file.length(), await lengthsOf(medium)], [3, { 'image-0': 3 }]);
      equal(await textOf(await medium.open('image-0'), 0, 3), 'new');
    },
  );

  claim(
    'removes files, also twice, and no others whose names begin alike',
    async ({ medium, create }) => {
      await (await create('a', 'A')).close();
      await create('a-1', 'B');
      await medium.remove('a');
      await medium.remove('a');
      equal(await lengthsOf(medium), { 'a-1': 1 });
      equal(await refusalOf(() => medium.open('a')), 'ENOENT');
      equal(await textOf(await medium.open('a-1'), 0, 1), 'B');
    },
  );

  for (const length of [0, 1, 3, 5, 6, 9]) {
    claim(`cuts a file off at ${length} and goes on from there`, async ({ medium, create }) => {
      const file = await create('a', 'abc');
      await file.append(text('def'), 'process');
      await file.append(text('ghi'), 'process');
      await file.truncate(length);
      equal([file.length(), await lengthsOf(medium)], [length, { a: length }]);
      await file.append(text('XYZ'), 'power');
      equal(await textOf(file, 0, length + 3), `${'abcdefghi'.slice(0, length)}XYZ`);
      equal(await refusalOf(() => file.read(0, length + 4)), 'EIO');
    });
  }

  claim(
    'keeps hundreds of small appends in order, and a later owner reads them',
    async ({ place, medium }) => {
      const whole = patternOf(60_000);
      const file = await medium.create('a');
      for (let at = 0; at < whole.length; at += 200) {
        await file.append(whole.slice(at, at + 200), 'process');
      }
      equal(areSame(await file.read(0, 60_000), whole), true);
      equal(areSame(await file.read(12_345, 40_000), whole.subarray(12_345, 52_345)), true);
      await medium.close();
      const next = await place.open();
      const again = await next.open('a');
      equal(areSame(await again.read(0, 60_000), whole), true);
      equal(areSame(await again.read(8_191, 3), whole.subarray(8_191, 8_194)), true);
      await next.close();
    },
  );

  claim(
    'takes 5 MB at a time and reads ranges over every border in it',
    async ({ medium, create }) => {
      const whole = patternOf(5_000_003);
      const file = await create('a', 'head');
      await file.append(whole.slice(), 'power');
      await file.append(text('tail'), 'process');
      equal(areSame(await file.read(4, whole.length), whole), true);
      for (const size of [60 * 1024, 64 * 1024, 1024 * 1024]) {
        const at = size * 3 - 7;
        equal(areSame(await file.read(4 + at, 15), whole.subarray(at, at + 15)), true);
        const part = await file.read(at, size + 20);
        equal(areSame(part, whole.subarray(at - 4, at + size + 16)), true);
      }
      equal(await textOf(file, file.length() - 4, 4), 'tail');
      await file.truncate(3_333_333);
      equal(areSame(await file.read(4, 3_333_329), whole.subarray(0, 3_333_329)), true);
      equal(await lengthsOf(medium), { a: 3_333_333 });
    },
  );

  claim('reads while something is being appended', async ({ medium }) => {
    const whole = patternOf(1_000_000);
    const file = await medium.create('a');
    await file.append(whole.slice(0, 500_000), 'process');
    const appending = file.append(whole.slice(500_000), 'power');
    const before = await file.read(100_000, 400_000);
    await appending;
    equal(areSame(before, whole.subarray(100_000, 500_000)), true);
    equal(areSame(await file.read(0, 1_000_000), whole), true);
  });

  claim(
    'does not see later changes of a buffer that a caller reuses after the append',
    async ({ medium }) => {
      // The appended bytes belong to the medium, but not the rest of their buffer.
      const buffer = text('....abc....');
      const file = await medium.create('a');
      await file.append(buffer.subarray(4, 7), 'power');
      buffer.fill(0, 0, 4);
      buffer.fill(0, 7);
      equal([await textOf(file, 0, 3), await lengthsOf(medium)], ['abc', { a: 3 }]);
    },
  );

  claim('reads at once where it can', async ({ medium, create }) => {
    const file = await create('a', 'abcdef');
    const opened = await medium.open('a');
    const read = [file, opened].map((each) => each.readSync?.(2, 3));
    const expected = traits.readsAtOnce ? text('cde') : undefined;
    equal(read, [expected, expected]);
    if (traits.readsAtOnce) equal(await refusalOf(() => file.readSync?.(0, 7)), 'EIO');
  });

  claim(
    'keeps all files for the next owner, and gives the ownership up when it is closed',
    async ({ place, medium, create }) => {
      await create('a', 'A');
      await create('image-1', 'B');
      await medium.checkFence();
      await medium.close();
      await medium.close();
      const next = await place.open();
      equal(await lengthsOf(next), { a: 1, 'image-1': 1 });
      await next.checkFence();
      equal(await textOf(await next.open('a'), 0, 1), 'A');
      await next.close();
    },
  );

  if (traits.formerOwner === 'none') return claims;

  claim(
    'fences a former owner, whose acknowledged bytes are all there',
    async ({ place, medium, create }) => {
      const file = await create('segment-1', 'acknowledged');
      await medium.checkFence();
      const next = await place.takeOver();
      try {
        equal(await lengthsOf(next), { 'segment-1': 12 });
        equal(await textOf(await next.open('segment-1'), 0, 12), 'acknowledged');
        equal(await refusalOf(() => medium.checkFence()), 'EFENCED');
        await next.checkFence();
        const own = await next.create('segment-2');
        await own.append(text('next'), 'power');
        await next.checkFence();
        // Checked twice, because a refusal must be permanent.
        equal(await refusalOf(() => medium.checkFence()), 'EFENCED');
        if (medium.refusesFormerOwners) equal(traits.formerOwner, 'refused');
        if (traits.formerOwner === 'refused') {
          const late = text('late');
          equal(await refusalOf(() => file.append(late, 'power')), 'EFENCED');
          equal(await refusalOf(() => file.truncate(0)), 'EFENCED');
          equal(await refusalOf(() => medium.create('segment-2')), 'EFENCED');
          equal(await refusalOf(() => medium.remove('segment-1')), 'EFENCED');
          equal(await lengthsOf(next), { 'segment-1': 12, 'segment-2': 4 });
        }
        equal(await textOf(own, 0, 4), 'next');
      } finally {
        await next.close();
      }
    },
  );
  return claims;
}
