// Implements the three kinds of queries of ToolSearch. Loaded with the first search.
import { isToolReferenceBlock } from '../../core/messages/blocks.ts';
import type { ToolReferenceBlock, ToolResultBlock } from '../../core/messages/blocks.ts';
import type { FoundTool, ToolSearchResult } from '../../core/tool/tool-catalog.ts';
import { isListedTool, toDefinition } from '../../core/tool/listed-tool.ts';
import type { KnownTool, KnownTools } from '../../core/tool/listed-tool.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

/** The tools to search. */
export interface SearchedTools {
  /** All tools that may be selected by name. */
  readonly tools: KnownTools;
  /** The tools that keywords are compared with. */
  readonly deferred: KnownTools;
  /** The description of a tool, as its caller needs it. */
  describe(tool: KnownTool): Promise<FoundTool>;
}

/**
 * `select:A,B` gives exactly these tools, by name or alias. Any other query has keywords: those
 * with a `+` must be in the name, the others rank. Keywords give at most `maxResults` tools, the
 * best first.
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

function select(selection: string, tools: KnownTools) {
  const names = selection
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const found = new Set<KnownTool>();
  const unknown: string[] = [];
  for (const name of names) {
    const tool = findByName(tools, name);
    if (tool) found.add(tool);
    else unknown.push(name);
  }
  return { found: [...found], unknown };
}

/** Finds a tool by its exact name, or otherwise without regard to case. */
function findByName(tools: KnownTools, wanted: string): KnownTool | undefined {
  const answersTo = (tool: KnownTool) => [tool.name, ...(tool.aliases ?? [])];
  return (
    tools.find(({ name }) => name === wanted) ??
    tools.find((tool) => answersTo(tool).includes(wanted)) ??
    tools.find((tool) => answersTo(tool).some((name) => fold(name) === fold(wanted)))
  );
}

/** Words with a `+`, and words with `_` that are part of a name, must be in the name. All words rank. */
function findByWords(query: string, deferred: KnownTools): Promise<KnownTools> {
  const words = fold(query).split(/\s+/u).filter(isWord);
  const required = words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  const wanted = [...new Set(words.map((word) => word.replace(/^\+/u, '')))];
  if (wanted.length === 0) return Promise.resolve([]);
  // If no tool has such a name, its words are searched instead.
  const names = wanted.filter((word) => word.includes('_') && isInName(word, deferred));
  return rankTools(wanted, [...required, ...names], deferred);
}

function isInName(word: string, tools: KnownTools): boolean {
  return tools.some(({ name }) => fold(name).includes(word));
}

// A single `+` is not a word.
function isWord(word: string): boolean {
  return /[^+]/u.test(word);
}

function fold(text: string): string {
  return text.toLowerCase();
}

/** The weight of partial matches; a whole word has 1. */
const partWorth = { beginning: 0.6, inName: 0.3, synonym: 0.5 } as const;

/** 4: shorter prefixes match too many words. */
const shortestPart = 4;

/**
 * Ranks the tools that have any of these words, and all of `required` in their names. The tool
 * whose name is the query comes first, then names that begin with it, then names that contain it,
 * then the others. Within a tier, rare words count more (as in BM25).
 */
async function rankTools(
  words: readonly string[],
  required: readonly string[],
  tools: KnownTools,
): Promise<KnownTools> {
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
  // A query of punctuation only matches no name.
  if (spokenQuery === '') return 0;
  if (whole === query || spoken === ` ${spokenQuery}`) return 3;
  if (whole.startsWith(query) || spoken.startsWith(` ${spokenQuery} `)) return 2;
  return whole.includes(query) || spoken.includes(` ${spokenQuery}`) ? 1 : 0;
}

/**
 * The score of one query word for each tool that has it: the best score of all its matches in the
 * tool.
 */
function scoreWord(stem: string, index: TextIndex): ReadonlyMap<number, number> {
  const own = index.postings.get(stem);
  const scores = new Map<number, number>();
  const add = (postings: readonly Posting[], worth: number) => {
    // A rare form of a word doesn't increase the word's weight.
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

/** Splits a name into words: `mcp__git__list_files`, `NotebookEdit`. */
export function splitName(name: string): string[] {
  return splitText(name.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').replaceAll('_', ' '));
}

export function splitText(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words without fillers such as "the"; all of them if they are all fillers. */
export function dropFillers(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : words;
}

/**
 * A light stemmer: "attaches", "attached" and "attachment" become "attach". It strips plurals, verb forms
 * and few suffixes, so that words of different meaning seldom get the same stem.
 */
export function toStem(word: string): string {
  // Shorter words are mostly names and abbreviations.
  if (word.length < 4) return word;
  const singular = word.replace(/ies$/u, 'y').replace(/(?<=[^su])s$/u, '');
  const bare = singular.replace(/(?<=[aeiouy].*[^e])(ing|ed)$/u, '');
  return bare
    .replace(/(?<=.{4})ment$/u, '')
    .replace(/(?<=..)([^aeiousl])\1$/u, '$1')
    .replace(/(?<=..)e$/u, '');
}

/** The stems of synonyms. */
export function listSynonyms(stem: string): readonly string[] {
  return synonyms.get(stem) ?? [];
}

const fillers: ReadonlySet<string> = new Set(
  `a about all am an and any are as at be been but by can could do does did for from had has have how i
  if in into is it its let me my need not of on or our out please s should so some that the their them
  then there these they this those to up us use using want was we were what when where which who whose
  why will with would you your`.split(/\s+/u),
);

// The words that people and models use, and those that tools use. General words only: a product's
// own words belong in the texts and hints of its tools.
const synonyms: ReadonlyMap<string, readonly string[]> = toSynonyms([
  ['create', 'add', 'new', 'make', 'open', 'start', 'insert'],
  ['get', 'read', 'show', 'fetch', 'view', 'give', 'see', 'display', 'look', 'retrieve', 'tell'],
  ['list', 'show'],
  ['search', 'find', 'look', 'query'],
  ['update', 'change', 'edit', 'modify', 'set'],
  ['delete', 'remove', 'erase', 'drop', 'clear'],
  ['send', 'post', 'write', 'publish', 'share'],
  ['run', 'execute', 'evaluate', 'trigger'],
  ['move', 'transition', 'transfer'],
  ['history', 'log', 'past'],
  ['switch', 'checkout', 'select', 'choose'],
  ['ticket', 'issue', 'bug'],
  ['folder', 'directory'],
  ['picture', 'image', 'screenshot', 'photo'],
  ['document', 'doc', 'documentation', 'page'],
  ['repository', 'repo', 'project'],
  ['database', 'db'],
  ['person', 'user', 'member', 'people'],
  ['pr', 'pull'],
]);

function toSynonyms(groups: readonly (readonly string[])[]): Map<string, string[]> {
  const others = new Map<string, string[]>();
  for (const group of groups.map((words) => words.map(toStem))) {
    for (const stem of group) {
      const known = others.get(stem) ?? [];
      others.set(stem, [...known, ...group.filter((other) => other !== stem)]);
    }
  }
  return others;
}

/** In lower case. */
export interface IndexedName {
  readonly whole: string;
  /** Its words, a space before each. */
  readonly spoken: string;
}

/** A tool that has the word. */
export interface Posting {
  /** Its index among the tools. */
  readonly at: number;
  /** How well the word describes the tool, from 0 to 1. */
  readonly weight: number;
  readonly isInName: boolean;
}

export interface TextIndex {
  readonly tools: KnownTools;
  readonly names: readonly IndexedName[];
  /** By stem. */
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
}

interface Texts {
  readonly name: IndexedName;
  readonly stems: readonly (readonly [stem: string, weight: number, isInName: boolean])[];
}

/** A name says most about a tool, and a hint is written for searches. */
const weights = { name: 3, hint: 2, description: 1 } as const;

/** The weight at which a word's score reaches one half (`k` of BM25). */
const halfWeight = 2;

/** The number of words in an ordinary text. In a longer text each word counts less. */
const ordinaryLength = { name: 4, description: 30 } as const;

// Keyed by the last tool. That is a server's tool if there is one, so an index lives no longer than
// its connection.
const indexes = new WeakMap<KnownTool, TextIndex>();

/** A tool's texts never change, so they are read once. */
const known = new WeakMap<KnownTool, Texts>();

async function openTextIndex(tools: KnownTools): Promise<TextIndex> {
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

function isSame(left: KnownTools, right: KnownTools): boolean {
  return left.length === right.length && left.every((tool, at) => tool === right[at]);
}

function toIndex(tools: KnownTools): TextIndex {
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

/** A stemmer with a cache: thousands of tools share some thousand words. */
function createStemmer(): (word: string) => string {
  const stems = new Map<string, string>();
  return (word) => {
    const stem = stems.get(word) ?? toStem(word);
    stems.set(word, stem);
    return stem;
  };
}

async function readTexts(tool: KnownTool, toStemOnce: (word: string) => string): Promise<Texts> {
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
    // As in BM25: each repetition of a word adds less.
    stems: [...sums].map(([stem, sum]) => [stem, sum / (sum + halfWeight), nameStems.has(stem)]),
  };
}

function toShare(length: number, ordinary: number): number {
  return Math.min(1, ordinary / Math.max(length, 1));
}

// A tool that can't describe itself is still found by its name. If its texts can't be loaded, the
// search fails, and the next search tries again.
async function describeSafely(tool: KnownTool): Promise<string> {
  if (isListedTool(tool)) return tool.description();
  try {
    return await tool.description();
  } catch {
    return '';
  }
}

/** The result with references to deferred tools, or with their definitions as text. */
export async function writeFind(
  block: ToolResultBlock,
  pool: Pool,
  params: ToolParamWriter,
): Promise<ToolResultBlock> {
  const parts = typeof block.content === 'object' ? block.content : [];
  const references = parts.filter(isToolReferenceBlock);
  if (pool.asReferences) {
    // The API refuses a request with a reference to a tool that isn't in it. Full definitions need
    // no reference.
    const known = references.filter((part) => isReferred(part, pool));
    if (known.length > 0) return { ...block, content: known };
    return { ...block, content: toNote(references, pool) };
  }
  const lines = await Promise.all(references.map((part) => writeFunction(part, pool, params)));
  return { ...block, content: `<functions>\n${lines.join('\n')}\n</functions>` };
}

function isReferred({ tool_name }: ToolReferenceBlock, { referred }: Pool): boolean {
  return referred.some(({ name }) => name === tool_name);
}

/** The text if there are no references left. */
function toNote(
  references: readonly ToolReferenceBlock[],
  { prefix, steady, loaded }: Pool,
): string {
  const sent = new Set([...prefix, ...steady, ...loaded].map(({ name }) => name));
  return references
    .map(({ tool_name }) =>
      sent.has(tool_name) ? `${tool_name} is loaded: call it.` : `${tool_name} is no longer there.`,
    )
    .join('\n');
}

async function writeFunction(
  { tool_name }: ToolReferenceBlock,
  pool: Pool,
  params: ToolParamWriter,
): Promise<string> {
  const { prefix, steady, promptOptions } = pool;
  const sent = findSent(tool_name, pool);
  if (!sent) return `(${tool_name} is no longer there.)`;
  const tool = await toDefinition(sent);
  const isSteady = prefix.includes(tool) || steady.includes(tool);
  const param = isSteady
    ? await params.write(tool)
    : await params.writeWithUsage(tool, promptOptions);
  const { description, name, input_schema: parameters } = param;
  // Security: a server's text must not end the line that contains it.
  const json = JSON.stringify({ description, name, parameters }).replaceAll('<', '\\u003c');
  return `<function>${json}</function>`;
}

/** Finds a tool that was sent, even if it has gone since it was found. */
function findSent(toolName: string, { tools, loaded, referred }: Pool): KnownTool | undefined {
  return [...tools, ...loaded, ...referred].find(({ name }) => name === toolName);
}
