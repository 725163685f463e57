// How well each tool's texts fit a query of words, the best first. `search-tools.ts` calls it.
import type { Tools } from '../../core/tool/tool.ts';
import { dropFillers, listSynonyms, splitName, splitText, toStem } from './search-words.ts';
import { openTextIndex } from './text-index.ts';
import type { IndexedName, Posting, TextIndex } from './text-index.ts';

/** What is worth less than the word itself, and by how much. */
const partWorth = { beginning: 0.6, inName: 0.3, synonym: 0.5 } as const;

/** Fewer letters begin too many words. */
const shortestPart = 4;

/**
 * Those of `tools` that have any of these words, and in their names all of `required`. First whose
 * name the query is, then whose name it begins, then whose name it is in, then the others; among
 * themselves by what the words say: a word that few tools have says more than one that most have.
 */
export async function rankTools(
  words: readonly string[],
  required: readonly string[],
  tools: Tools,
): Promise<Tools> {
  const index = await openTextIndex(tools);
  const stems = new Set(dropFillers(words.flatMap(splitText)).map(toStem));
  const scores = new Float64Array(tools.length);
  for (const stem of stems) {
    for (const [at, score] of scoreWord(stem, index)) scores[at] = (scores[at] ?? 0) + score;
  }
  const query = words.join(' ');
  const spoken = words.flatMap(splitName).join(' ');
  return index.names
    .map((name, at) => ({ at, name, score: scores[at] ?? 0, tier: toTier(name, query, spoken) }))
    .filter(({ score, tier }) => score > 0 || tier > 0)
    .filter(({ name: { whole } }) => required.every((word) => whole.includes(word)))
    .toSorted((a, b) => b.tier - a.tier || b.score - a.score || compare(a.name.whole, b.name.whole))
    .flatMap(({ at }) => tools[at] ?? []);
}

/** 3: the query is the name; 2: the name begins with it; 1: it is in the name; 0: neither. */
function toTier({ whole, spoken }: IndexedName, query: string, spokenQuery: string): number {
  // Of signs alone: no name has them.
  if (spokenQuery === '') return 0;
  if (whole === query || spoken === ` ${spokenQuery}`) return 3;
  if (whole.startsWith(query) || spoken.startsWith(` ${spokenQuery} `)) return 2;
  return whole.includes(query) || spoken.includes(` ${spokenQuery}`) ? 1 : 0;
}

/** What one word of the query says for each tool that has it: the best of all ways to have it. */
function scoreWord(stem: string, index: TextIndex): ReadonlyMap<number, number> {
  const own = index.postings.get(stem);
  const scores = new Map<number, number>();
  const add = (postings: readonly Posting[], worth: number) => {
    // A word isn't worth more for standing in a rare form.
    const rarity = Math.min(toRarity(postings, index), own ? toRarity(own, index) : Infinity);
    for (const { at, weight } of postings) {
      scores.set(at, Math.max(scores.get(at) ?? 0, weight * worth * rarity));
    }
  };
  if (own) add(own, 1);
  for (const other of listSynonyms(stem)) add(index.postings.get(other) ?? [], partWorth.synonym);
  if (stem.length < shortestPart) return scores;
  for (const [word, postings] of index.postings) {
    if (word === stem) continue;
    if (word.startsWith(stem)) add(postings, partWorth.beginning);
    else if (word.includes(stem)) {
      add(
        postings.filter(({ isInName }) => isInName),
        partWorth.inName,
      );
    }
  }
  return scores;
}

function toRarity({ length }: readonly Posting[], { names }: TextIndex): number {
  return Math.log(1 + names.length / Math.max(length, 1));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
