// What ToolSearch looks for: its three forms of a query. Loaded with the first search.
import type { FoundTool, ToolSearchResult } from '../../core/tool/tool-catalog.ts';
import type { Tool, Tools } from '../../core/tool/tool.ts';
import { rankTools } from './rank-tools.ts';

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
      ? { found: (await findByWords(query, deferred)).slice(0, maxResults), unknown: [] }
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

/** Words with a `+` must be in the name, and so must what is written as a name is; they rank, too. */
function findByWords(query: string, deferred: Tools): Promise<Tools> {
  const words = fold(query).split(/\s+/u).filter(isWord);
  const required = words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  const wanted = [...new Set(words.map((word) => word.replace(/^\+/u, '')))];
  if (wanted.length === 0) return Promise.resolve([]);
  // Of a name that no tool has, the words are looked for.
  const names = wanted.filter((word) => word.includes('_') && isInName(word, deferred));
  return rankTools(wanted, [...required, ...names], deferred);
}

function isInName(word: string, tools: Tools): boolean {
  return tools.some(({ name }) => fold(name).includes(word));
}

// A `+` alone is no word.
function isWord(word: string): boolean {
  return /[^+]/u.test(word);
}

function fold(text: string): string {
  return text.toLowerCase();
}
