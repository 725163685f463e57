// Random numbers from a seed, so that a random failure can be repeated.

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** At least 0, below `end`, whole. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** By the mulberry32 generator: 32 bits of state, which is plenty for choices of a test. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const nextBits = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const next = () => nextBits() / 2 ** 32;
  const below = (end: number) => nextBits() % end;
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
  };
}
