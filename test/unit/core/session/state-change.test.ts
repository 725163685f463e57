import { describe, expect, it } from 'vitest';
import {
  applyStateChanges,
  diffState,
  encodeStateChange,
  isChainHeavy,
  patchState,
} from '../../../../src/core/session/state-change.ts';
import { createRandom, type Random } from '../../../support/random.ts';

const damaged = (why: string) =>
  expect.objectContaining({
    code: 'invalid-input',
    message: expect.stringContaining(why) as unknown,
  });

/** Bytes that compress badly. */
function noise(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  return bytes;
}

/** The state after a few writes anywhere in it, grown or cut now and then. */
function change(state: Uint8Array, { below }: Random) {
  const length = Math.max(0, state.length + (below(3) === 0 ? below(3000) - 1000 : 0));
  const next = new Uint8Array(length);
  next.set(state.subarray(0, length));
  for (let writes = below(8); writes > 0 && length > 0; writes -= 1) {
    next[below(length)] = below(256);
  }
  return next;
}

describe('diffState and patchState', () => {
  it('are inverses for states of any length, at any place in their buffers', () => {
    const random = createRandom(1);
    let state: Uint8Array = noise(5000);
    for (let turn = 0; turn < 150; turn += 1) {
      const next = change(state, random);
      const shifted = new Uint8Array(next.length + 3).subarray(turn % 4 === 3 ? 3 : turn % 4);
      const moved = shifted.subarray(0, next.length);
      moved.set(next);
      const difference = diffState(state, moved);
      expect(patchState(state, difference)).toEqual(next);
      state = next;
    }
  });

  it('has no blocks of what stayed, nor of zeros where the state has grown', () => {
    const before = noise(100_000);
    const after = new Uint8Array(1_000_000);
    after.set(before);
    expect(diffState(before, before)).toHaveLength(24);
    expect(diffState(before, after)).toHaveLength(24);
    after[50_000] = before[50_000]! ^ 1;
    expect(diffState(before, after)).toHaveLength(24 + 8 + 256);
    expect(patchState(before, diffState(before, after))).toEqual(after);
  });

  it('refuse a wrong state before, of the same length or another', () => {
    const before = noise(1000);
    const difference = diffState(before, noise(1000));
    const other = before.slice();
    other[999]! ^= 1;
    for (const wrong of [other, before.subarray(1), new Uint8Array()]) {
      expect(() => patchState(wrong, difference)).toThrow(damaged('another state'));
    }
  });

  it('refuse bytes that were cut, lengthened or changed, wherever', () => {
    const before = noise(2000);
    const after = before.slice();
    after[700]! ^= 1;
    const difference = diffState(before, after);
    for (let length = 0; length < difference.length; length += 1) {
      expect(() => patchState(before, difference.subarray(0, length))).toThrow(damaged(''));
    }
    for (let at = 0; at < difference.length; at += 1) {
      const edited = difference.slice();
      edited[at]! ^= 0x80;
      expect(() => patchState(before, edited), `byte ${at}`).toThrow(damaged(''));
    }
    const longer = new Uint8Array(difference.length + 1);
    longer.set(difference);
    expect(() => patchState(before, longer)).toThrow(damaged('checksum'));
  });
});

describe('encodeStateChange and applyStateChanges', () => {
  it('lead through a chain of changes to the last state', async () => {
    const random = createRandom(2);
    let state: Uint8Array = noise(20_000);
    const first = await encodeStateChange(undefined, state);
    expect(first.isWhole).toBe(true);
    let chain = [first.bytes];
    for (let turn = 0; turn < 30; turn += 1) {
      const next = change(state, random);
      const { isWhole, bytes } = await encodeStateChange(state, next);
      chain = isWhole ? [bytes] : [...chain, bytes];
      state = next;
      expect(await applyStateChanges(chain)).toEqual(state);
    }
    expect(chain.length).toBeGreaterThan(5);
  });

  it('takes the whole state where the most of it is another', async () => {
    const { isWhole, bytes } = await encodeStateChange(noise(50_000), noise(50_000));
    expect(isWhole).toBe(true);
    await expect(applyStateChanges([bytes])).resolves.toHaveLength(50_000);
  });

  it('refuses a chain with a change left out, twice, or without its first', async () => {
    const states = [noise(5000)];
    for (let at = 1; at < 4; at += 1) {
      states[at] = states[at - 1]!.slice();
      states[at]![at] = 255 - states[at]![at]!;
    }
    const chain = await Promise.all(
      states.map((state, at) => encodeStateChange(states[at - 1], state)),
    );
    const [whole, one, two, three] = chain.map(({ bytes }) => bytes) as [
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>,
    ];
    await expect(applyStateChanges([whole, one, two, three])).resolves.toEqual(states[3]);
    for (const wrong of [
      [whole, two, three],
      [whole, one, one],
      [one, two],
      [whole, one, whole],
    ]) {
      await expect(applyStateChanges(wrong)).rejects.toEqual(damaged('another state'));
    }
    await expect(applyStateChanges([whole.slice(0, -20)])).rejects.toEqual(damaged(''));
    await expect(applyStateChanges([noise(100)])).rejects.toEqual(damaged(''));
  });

  it('has taken what it needs of the state when it returns', async () => {
    const state = noise(5000);
    const copy = state.slice();
    const encoding = encodeStateChange(undefined, state);
    state.fill(0);
    await expect(applyStateChanges([(await encoding).bytes])).resolves.toEqual(copy);
  });
});

describe('isChainHeavy', () => {
  it('asks for a whole state first, and when what came after it outweighs it', () => {
    expect(isChainHeavy([])).toBe(true);
    expect(isChainHeavy([100])).toBe(false);
    expect(isChainHeavy([100, 60, 40])).toBe(false);
    expect(isChainHeavy([100, 60, 41])).toBe(true);
  });
});
