// The words of tools' texts, and which tools have each. Built with the first search, and anew when the
// tools are others.
import type { Tool, Tools } from '../../core/tool/tool.ts';
import { splitName, splitText, toStem } from './search-words.ts';

/** In lower case. */
export interface IndexedName {
  readonly whole: string;
  /** Its words, a space before each. */
  readonly spoken: string;
}

/** A tool that has the word. */
export interface Posting {
  /** Its place among the tools. */
  readonly at: number;
  /** How much of it the word tells, from 0 to 1. */
  readonly weight: number;
  readonly isInName: boolean;
}

export interface TextIndex {
  readonly tools: Tools;
  readonly names: readonly IndexedName[];
  /** By stem. */
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
}

interface Texts {
  readonly name: IndexedName;
  readonly stems: readonly (readonly [stem: string, weight: number, isInName: boolean])[];
}

/** A name says most of what a tool is for, and a hint was written to be found by. */
const weights = { name: 3, hint: 2, description: 1 } as const;

/** A word that has this weight tells half of what a word can. */
const halfWeight = 2;

/** In words: the longer a text is beyond it, the less each of its words says. */
const ordinaryLength = { name: 4, description: 30 } as const;

// By the last of the tools: a remote one, where there is any, so that an index lives no longer than the
// connection it is of.
const indexes = new WeakMap<Tool, TextIndex>();

/** The texts of a tool never change, so they are read once. */
const known = new WeakMap<Tool, Texts>();

export async function openTextIndex(tools: Tools): Promise<TextIndex> {
  const key = tools.at(-1);
  const last = key && indexes.get(key);
  if (last && isSame(last.tools, tools)) return last;
  const unread = tools.filter((tool) => !known.has(tool));
  const toStemOnce = createStemmer();
  await Promise.all(unread.map(async (tool) => known.set(tool, await readTexts(tool, toStemOnce))));
  const index = toIndex(tools);
  if (key) indexes.set(key, index);
  return index;
}

function isSame(left: Tools, right: Tools): boolean {
  return left.length === right.length && left.every((tool, at) => tool === right[at]);
}

function toIndex(tools: Tools): TextIndex {
  const postings = new Map<string, Posting[]>();
  const names: IndexedName[] = [];
  for (const [at, tool] of tools.entries()) {
    const { name, stems } = known.get(tool) as Texts;
    names.push(name);
    for (const [stem, weight, isInName] of stems) {
      const entry = { at, weight, isInName };
      const others = postings.get(stem);
      if (others) others.push(entry);
      else postings.set(stem, [entry]);
    }
  }
  return { tools, names, postings };
}

/** Thousands of tools have some thousand words between them. */
function createStemmer(): (word: string) => string {
  const stems = new Map<string, string>();
  return (word) => {
    const stem = stems.get(word) ?? toStem(word);
    stems.set(word, stem);
    return stem;
  };
}

async function readTexts(tool: Tool, toStemOnce: (word: string) => string): Promise<Texts> {
  const nameWords = splitName(tool.name);
  const nameStems = new Set(nameWords.map(toStemOnce));
  const description = splitText(await describeSafely(tool));
  const sums = new Map<string, number>();
  const add = (stems: ReadonlySet<string>, weight: number) => {
    for (const stem of stems) sums.set(stem, (sums.get(stem) ?? 0) + weight);
  };
  add(nameStems, weights.name * toShare(nameStems.size, ordinaryLength.name));
  add(new Set(splitText(tool.searchHint ?? '').map(toStemOnce)), weights.hint);
  const share = toShare(description.length, ordinaryLength.description);
  add(new Set(description.map(toStemOnce)), weights.description * share);
  return {
    name: { whole: tool.name.toLowerCase(), spoken: ` ${nameWords.join(' ')}` },
    // As in BM25: to say a thing again adds less each time.
    stems: [...sums].map(([stem, sum]) => [stem, sum / (sum + halfWeight), nameStems.has(stem)]),
  };
}

function toShare(length: number, ordinary: number): number {
  return Math.min(1, ordinary / Math.max(length, 1));
}

// A tool that can't describe itself is still found by its name.
async function describeSafely(tool: Tool): Promise<string> {
  try {
    return await tool.description();
  } catch {
    return '';
  }
}
