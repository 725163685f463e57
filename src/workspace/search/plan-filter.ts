// Asks bitmaps for what a plan (index-plan.ts) wants of them: the rarest first, and nothing that most have.
import { isEverything, type IndexPlan } from './index-plan.ts';

/** Whether a content, or a passage of one, may hold the trigram with that hash. Both are numbers. */
export type HoldsTrigram = (number: number, hash: number) => boolean;

// Rarer trigrams first; the ninth keeps out next to nothing that eight have let pass.
const maxHashes = 8;

/** False for what certainly can't match. */
export function createPlanFilter(
  plan: IndexPlan,
  holds: HoldsTrigram,
): (number: number) => boolean {
  if (plan.isImpossible) return () => false;
  if (isEverything(plan)) return () => true;
  const { hashes } = plan;
  const groups = plan.groups.map((members) =>
    members.map((member) => createPlanFilter(member, holds)),
  );
  return (number) => {
    for (const hash of hashes) if (!holds(number, hash)) return false;
    for (const members of groups) if (!isAny(members, number)) return false;
    return true;
  };
}

/**
 * The plan with its most selective parts first, as a sample of the contents shows, and without those
 * that select nothing: a group that more than half have costs more than it keeps out.
 */
export function prunePlan(
  plan: IndexPlan,
  sample: readonly number[],
  holds: HoldsTrigram,
): IndexPlan {
  const count = (part: Pick<IndexPlan, 'hashes' | 'groups'>): number =>
    sample.filter(createPlanFilter({ ...part, isImpossible: false }, holds)).length;
  const hashes = plan.hashes
    .map((hash) => ({ hash, count: count({ hashes: [hash], groups: [] }) }))
    .sort(byCount)
    .slice(0, maxHashes)
    .map(({ hash }) => hash);
  const groups = plan.groups
    .map((group) => {
      const members = group.map((member) => prunePlan(member, sample, holds));
      return { members, count: count({ hashes: [], groups: [members] }) };
    })
    .filter((group) => group.count * 2 <= sample.length)
    .sort(byCount)
    .map(({ members }) => members);
  return { ...plan, hashes, groups };
}

function isAny(members: readonly ((number: number) => boolean)[], number: number): boolean {
  for (const member of members) if (member(number)) return true;
  return false;
}

function byCount(left: { readonly count: number }, right: { readonly count: number }): number {
  return left.count - right.count;
}
