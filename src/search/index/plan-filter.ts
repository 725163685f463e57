// Evaluates a plan (index-plan.ts) against the bitmaps: the rarest trigrams first, without those
// that most passages have. A group's passages are evaluated together, when the first of them is
// needed. A search that has enough lines never evaluates the rest.
import type { IndexPlan } from './index-plan.ts';
import type { PassageTable } from './passage-table.ts';

// 8, the rarest first: a ninth trigram excludes almost no passage that passes the first eight.
const maxHashes = 8;

// Some hundred passages, which need one memory access for each group and trigram.
const sampleSize = 16;

/** Finds the passages that certainly can't match. */
export class PassageFilter {
  readonly #plan: IndexPlan;
  #table: PassageTable | undefined;
  #size = 0;
  /** For each evaluated group, the lanes of its passages that may match. */
  #lanes = new Int32Array(0);
  #isAsked = new Uint8Array(0);

  constructor(plan: IndexPlan) {
    this.#plan = plan;
  }

  mayMatch(table: PassageTable, number: number): boolean {
    // Passages added since may be in groups that were already evaluated.
    if (table !== this.#table || table.size !== this.#size) this.#forget(table);
    const place = table.placeOf(number);
    const group = place >>> 5;
    if (this.#isAsked[group] === 0) {
      this.#isAsked[group] = 1;
      this.#lanes[group] = lanesOf(this.#plan, table, group);
    }
    return (((this.#lanes[group] ?? 0) >>> (place & 31)) & 1) === 1;
  }

  #forget(table: PassageTable): void {
    this.#table = table;
    this.#size = table.size;
    this.#lanes = new Int32Array(table.groupCount);
    this.#isAsked = new Uint8Array(table.groupCount);
  }
}

/**
 * The lanes of a group whose passages have everything in the plan. The bits of lanes without a
 * passage mean nothing.
 */
function lanesOf(plan: IndexPlan, table: PassageTable, group: number): number {
  if (plan.isImpossible) return 0;
  let lanes = -1;
  for (const hash of plan.hashes) {
    lanes &= table.lanesHolding(group, hash);
    if (lanes === 0) return 0;
  }
  for (const members of plan.groups) {
    let some = 0;
    for (const member of members) some |= lanesOf(member, table, group);
    lanes &= some;
    if (lanes === 0) return 0;
  }
  return lanes;
}

/**
 * The plan with its most selective parts first, by a sample of the passages. Parts that exclude too little are left
 * out: a group that more than half of the passages have costs more than it saves.
 */
export function prunePlan(plan: IndexPlan, table: PassageTable): IndexPlan {
  const step = Math.max(Math.floor(table.groupCount / sampleSize), 1);
  const sample: number[] = [];
  for (let group = 0; group < table.groupCount; group += step) sample.push(group);
  const size = sample.reduce((sum, group) => sum + table.sizeOf(group), 0);
  const countOf = (part: IndexPlan) =>
    sample.reduce((sum, group) => sum + bitCount(lanesOf(part, table, group)), 0);
  return prune(plan, (part) => countOf(part) / Math.max(size, 1));
}

/** `shareOf`: the share of all passages that have a part. */
function prune(plan: IndexPlan, shareOf: (part: IndexPlan) => number): IndexPlan {
  const hashes = plan.hashes
    .map((hash) => ({ hash, share: shareOf({ ...all, hashes: [hash] }) }))
    .sort(byShare)
    .slice(0, maxHashes)
    .map(({ hash }) => hash);
  const groups = plan.groups
    .map((group) => {
      const members = group.map((member) => prune(member, shareOf));
      return { members, share: shareOf({ ...all, groups: [members] }) };
    })
    .filter(({ share }) => share <= 0.5)
    .sort(byShare)
    .map(({ members }) => members);
  return { ...plan, hashes, groups };
}

const all: IndexPlan = { hashes: [], groups: [], isImpossible: false };

function byShare(left: { readonly share: number }, right: { readonly share: number }): number {
  return left.share - right.share;
}

/** How many bits of a word are set: added up in pairs, then fours, then bytes. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
