// What ToolSearch looks for and how finds are ranked. Loaded with the first search.
import type { FoundTool, ToolSearchResult } from '../../core/tool-catalog.ts';
import type { Tool, Tools } from '../../core/tool.ts';

/** What a search goes through. */
export interface SearchedTools {
  /** All that may be chosen by name. */
  readonly tools: Tools;
  /** Those of them that keywords are looked for in. */
  readonly deferred: Tools;
  /** Gives what a caller has to know of a tool. */
  describe(tool: Tool): Promise<FoundTool>;
}

/**
 * `select:A,B`: exactly these tools, by name or alias, however many. Else keywords: those with a `+`
 * must be in the name, the others rank. At most `maxResults` then, the best first.
 */
export async function searchTools(
  query: string,
  maxResults: number,
  { tools, deferred, describe }: SearchedTools,
): Promise<ToolSearchResult> {
  const selection = /^\s*select:(.*)$/isu.exec(query)?.[1];
  const { found, unknown } =
    selection === undefined
      ? { found: (await rank(query, deferred)).slice(0, maxResults), unknown: [] }
      : select(selection, tools);
  return {
    matches: await Promise.all(found.map((tool) => describe(tool))),
    unknown,
    deferredCount: deferred.length,
  };
}

function select(selection: string, tools: Tools) {
  const names = selection
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const found = new Set<Tool>();
  const unknown: string[] = [];
  for (const name of names) {
    const tool = findByName(tools, name);
    if (tool) found.add(tool);
    else unknown.push(name);
  }
  return { found: [...found], unknown };
}

/** As it is spelt, else in any case of letters: a model seldom has reason to tell two tools so apart. */
function findByName(tools: Tools, wanted: string): Tool | undefined {
  const answersTo = (tool: Tool) => [tool.name, ...(tool.aliases ?? [])];
  return (
    tools.find(({ name }) => name === wanted) ??
    tools.find((tool) => answersTo(tool).includes(wanted)) ??
    tools.find((tool) => answersTo(tool).some((name) => fold(name) === fold(wanted)))
  );
}

/** How a tool's texts stand to a query. */
interface Rank {
  readonly tool: Tool;
  /** 3: it is the name; 2: the name begins with it; 1: it is in the name; 0: neither. */
  readonly tier: number;
  /** For each word of the query: 0 where the tool doesn't have it. */
  readonly scores: readonly number[];
}

async function rank(query: string, deferred: Tools): Promise<Tool[]> {
  const words = fold(query).split(/\s+/u).filter(isWord);
  const required = words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  const wanted = [...new Set(words.map((word) => word.replace(/^\+/u, '')))];
  const ranks = await Promise.all(deferred.map((tool) => toRank(tool, wanted)));
  // A word that most tools have ("the", "list") tells little of which one is meant.
  const weights = wanted.map((_word, at) => {
    const having = ranks.filter(({ scores }) => (scores[at] ?? 0) > 0).length;
    return Math.log(1 + ranks.length / Math.max(having, 1));
  });
  return ranks
    .filter(({ tool }) => required.every((word) => fold(tool.name).includes(word)))
    .map(({ tool, tier, scores }) => ({
      tool,
      tier,
      score: scores.reduce((sum, score, at) => sum + score * (weights[at] ?? 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.tier - a.tier || b.score - a.score || compare(a.tool.name, b.tool.name))
    .map(({ tool }) => tool);
}

// A `+` alone is no word.
function isWord(word: string): boolean {
  return /[^+]/u.test(word);
}

async function toRank(tool: Tool, wanted: readonly string[]): Promise<Rank> {
  const name = fold(tool.name);
  const nameWords = splitName(tool.name);
  const hintWords = splitText(tool.searchHint ?? '');
  const textWords = splitText(await describeSafely(tool));
  const scores = wanted.map(
    // A name says most of what a tool is for; a hint was written to be found by; a description
    // has many words by the way. A whole word says more than a part of one.
    (word) =>
      Math.max(scoreOf(word, nameWords, 10, 6), name.includes(word) ? 3 : 0) +
      scoreOf(word, hintWords, 5, 3) +
      scoreOf(word, textWords, 2, 1),
  );
  return { tool, tier: toTier(name, nameWords, wanted), scores };
}

/** The query as one name: as it is written, or by its words. */
function toTier(name: string, nameWords: readonly string[], wanted: readonly string[]): number {
  const spoken = ` ${nameWords.join(' ')}`;
  const query = wanted.join(' ');
  if (name === query || spoken === ` ${query}`) return 3;
  if (name.startsWith(query) || spoken.startsWith(` ${query} `)) return 2;
  return name.includes(query) || spoken.includes(` ${query}`) ? 1 : 0;
}

function scoreOf(word: string, among: readonly string[], whole: number, part: number): number {
  if (among.includes(word)) return whole;
  return among.some((other) => other.startsWith(word)) ? part : 0;
}

/** `mcp__git__list_files` and `NotebookEdit` are words, too. */
function splitName(name: string): string[] {
  return splitText(name.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').replaceAll('_', ' '));
}

function splitText(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function fold(text: string): string {
  return text.toLowerCase();
}

// A tool that can't describe itself is still found by its name.
async function describeSafely(tool: Tool): Promise<string> {
  try {
    return await tool.description();
  } catch {
    return '';
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
