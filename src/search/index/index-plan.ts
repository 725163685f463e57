// The trigrams that every match of a pattern must hold. The index (content-index.ts) excludes files
// with them. The rules for joining parts are those of Russ Cox's "Regular Expression Matching with
// a Trigram Index".
import { asciiMembers } from '../regex/ascii-members.ts';
import type { CharacterSet, RegexNode } from '../regex/regex-node.ts';
import { beyondAscii, byteClasses, toTrigram, toTrigramHash } from './trigrams.ts';

/** A text must have all of `hashes`, and one member of each group. If both are empty, every text may match. */
export interface IndexPlan {
  /** The hashes of `toTrigramHash`. */
  readonly hashes: readonly number[];
  readonly groups: readonly (readonly IndexPlan[])[];
  /** No text at all can match. */
  readonly isImpossible: boolean;
}

/** One plan for texts of ASCII alone, and one for those with other characters. */
export interface IndexPlans {
  readonly ascii: IndexPlan;
  readonly wide: IndexPlan;
  /** True if a match, and so its trigrams, are within one line. */
  readonly byLine: boolean;
}

/** Both plans of a pattern. */
export function createIndexPlans(
  node: RegexNode,
  { byLine }: Pick<IndexPlans, 'byLine'>,
): IndexPlans {
  return { ascii: planFor(node, true), wide: planFor(node, false), byLine };
}

const everything: IndexPlan = { hashes: [], groups: [], isImpossible: false };
const impossible: IndexPlan = { hashes: [], groups: [], isImpossible: true };

// The maximum size of a set of strings. Larger sets cost more to query than they exclude.
const maxStrings = 16;
// A class with more members selects little: `[a-f]` is six, `[a-z]` would be 26.
const maxClassMembers = 8;
// The limit for nested groups: `(a|b)(c|d)…` multiplies them, and a query would take as long as a search.
const maxGroups = 4;
// `x{9}` selects no more than `x{8}` does.
const maxCopies = 8;

/** Strings of byte classes, each class a UTF-16 unit. Never changed. */
type Strings = ReadonlySet<string>;

/** The known facts about a part of a pattern. */
interface Part {
  /** All strings that the part matches, as long as they can be listed. */
  readonly exact: Strings | undefined;
  /** Each match begins with one of the prefixes, and ends with one of the suffixes. */
  readonly prefixes: Strings;
  readonly suffixes: Strings;
  /** The further trigrams that each match holds. */
  readonly plan: IndexPlan;
}

const emptyString: Strings = new Set(['']);
const anything: Part = {
  exact: undefined,
  prefixes: emptyString,
  suffixes: emptyString,
  plan: everything,
};
const nothing: Part = {
  exact: new Set(),
  prefixes: new Set(),
  suffixes: new Set(),
  plan: impossible,
};

function planFor(node: RegexNode, isAscii: boolean): IndexPlan {
  const { exact, plan } = settle(analyze(node, isAscii));
  return exact ? and(plan, planOfStrings(exact)) : plan;
}

function analyze(node: RegexNode, isAscii: boolean): Part {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return exactly(emptyString);
    case 'any':
      return anything;
    case 'literal':
      return analyzeLiteral(node.codePoint, node.ignoreCase, isAscii);
    case 'class':
      return analyzeClass(node, isAscii);
    case 'concatenation':
      return node.nodes
        .map((part) => analyze(part, isAscii))
        .reduce(concatenate, exactly(emptyString));
    case 'alternation':
      return node.nodes.map((branch) => analyze(branch, isAscii)).reduce(alternate, nothing);
    case 'repetition':
      return analyzeRepetition(node, isAscii);
  }
}

function exactly(exact: Strings): Part {
  return { exact, prefixes: exact, suffixes: exact, plan: everything };
}

function analyzeLiteral(codePoint: number, ignoreCase: boolean, isAscii: boolean): Part {
  if (codePoint < 0x80) {
    if (ignoreCase && !isAscii && hasWideCase(codePoint)) return anything;
    return exactly(new Set([String.fromCharCode(byteClasses[codePoint] ?? 0)]));
  }
  // Letters beyond ASCII may fold to others with more or fewer bytes, or to ASCII.
  if (ignoreCase) return isAscii ? foldedLiteral(codePoint) : anything;
  if (isAscii) return nothing;
  const bytes = new TextEncoder().encode(String.fromCodePoint(codePoint)).length;
  return exactly(new Set([String.fromCharCode(beyondAscii).repeat(bytes)]));
}

/** If case is ignored, `K` (the Kelvin sign) equals `k`, and `ſ` equals `s`. */
function foldedLiteral(codePoint: number): Part {
  const node: RegexNode = {
    kind: 'class',
    set: { kind: 'range', from: codePoint, to: codePoint },
    ignoreCase: true,
  };
  return analyzeClass(node, true);
}

/** True for one of the letters that have a third case, beyond ASCII. */
function hasWideCase(codePoint: number): boolean {
  return /[ks]/i.test(String.fromCharCode(codePoint));
}

function analyzeClass(node: RegexNode & { readonly kind: 'class' }, isAscii: boolean): Part {
  if (!isAscii && !isWithinAscii(node.set, node.ignoreCase)) return anything;
  const members = new Set<string>();
  for (const code of asciiMembers(node.set, node.ignoreCase)) {
    members.add(String.fromCharCode(byteClasses[code] ?? 0));
    if (members.size > maxClassMembers) return anything;
  }
  return members.size === 0 ? nothing : exactly(members);
}

/** True if all members are certainly ASCII. False also if that can't be decided without checking all characters. */
function isWithinAscii(set: CharacterSet, ignoreCase: boolean): boolean {
  if (set.kind === 'union') return set.sets.every((part) => isWithinAscii(part, ignoreCase));
  if (set.kind !== 'range' || set.to >= 0x80) return false;
  if (!ignoreCase) return true;
  for (let code = set.from; code <= set.to; code += 1) if (hasWideCase(code)) return false;
  return true;
}

function analyzeRepetition(
  { node, min, max }: RegexNode & { readonly kind: 'repetition' },
  isAscii: boolean,
): Part {
  if (max === 0) return exactly(emptyString);
  const inner = analyze(node, isAscii);
  if (min === 0) return max === 1 ? alternate(inner, exactly(emptyString)) : anything;
  let part = inner;
  for (let copy = 1; copy < Math.min(min, maxCopies); copy += 1) part = concatenate(part, inner);
  return min === max && min <= maxCopies ? part : concatenate(concatenate(part, anything), inner);
}

function concatenate(left: Part, right: Part): Part {
  const [a, b] = [settle(left), settle(right)];
  if (a.exact && b.exact) {
    const exact = cross(a.exact, b.exact);
    if (exact) return { ...exactly(exact), plan: and(a.plan, b.plan) };
  }
  const x = a.exact && b.exact ? spread(a) : a;
  const border = cross(x.suffixes, b.prefixes);
  return {
    exact: undefined,
    prefixes: (x.exact && cross(x.exact, b.prefixes)) ?? x.prefixes,
    suffixes: (b.exact && cross(x.suffixes, b.exact)) ?? b.suffixes,
    // Trigrams across the border. If one side is listed, they are in the lists above.
    plan: [
      x.plan,
      b.plan,
      ...(border ? [planOfStrings(border)] : []),
      ...(x.exact ? [planOfStrings(x.exact)] : []),
      ...(b.exact ? [planOfStrings(b.exact)] : []),
    ].reduce(and),
  };
}

function alternate(left: Part, right: Part): Part {
  if (isNothing(left)) return right;
  if (isNothing(right)) return left;
  const exact = left.exact && right.exact && union(left.exact, right.exact);
  if (exact) return { ...exactly(exact), plan: or(left.plan, right.plan) };
  const [a, b] = [spread(left), spread(right)];
  return {
    exact: undefined,
    prefixes: union(a.prefixes, b.prefixes) ?? emptyString,
    suffixes: union(a.suffixes, b.suffixes) ?? emptyString,
    plan: or(a.plan, b.plan),
  };
}

function isNothing({ exact, plan }: Part): boolean {
  return exact?.size === 0 || plan.isImpossible;
}

/** Turns a listed part into a plan, and keeps only its ends. */
function spread(part: Part): Part {
  if (!part.exact) return part;
  return { ...part, exact: undefined, plan: and(part.plan, planOfStrings(part.exact)) };
}

/** A part whose lists are short enough to be multiplied by another's. */
function settle(part: Part): Part {
  const listed = part.exact && part.exact.size <= maxStrings ? part : spread(part);
  const { prefixes, suffixes } = listed;
  return {
    ...listed,
    prefixes: shorten(prefixes, (text, length) => text.slice(0, length)),
    suffixes: shorten(suffixes, (text, length) => text.slice(Math.max(text.length - length, 0))),
  };
}

/** A trigram across the border of two parts uses at most two characters of each. */
function shorten(strings: Strings, cut: (text: string, length: number) => string): Strings {
  let short = strings;
  for (let length = 2; length >= 0; length -= 1) {
    short = new Set([...short].map((text) => cut(text, length)));
    if (short.size <= maxStrings / 4) return short;
  }
  return short;
}

/** Undefined if there would be too many. */
function cross(left: Strings, right: Strings): Strings | undefined {
  if (left.size * right.size > maxStrings) return undefined;
  const strings = new Set<string>();
  for (const first of left) for (const second of right) strings.add(first + second);
  return strings;
}

function union(left: Strings, right: Strings): Strings | undefined {
  const strings = new Set([...left, ...right]);
  return strings.size > maxStrings ? undefined : strings;
}

/** A plan for texts that hold one of the strings. */
function planOfStrings(strings: Strings): IndexPlan {
  if (strings.size === 0) return impossible;
  let plan = impossible;
  for (const text of strings) {
    if (text.length < 3) return everything;
    plan = or(plan, planOfString(text));
  }
  return plan;
}

function planOfString(text: string): IndexPlan {
  const hashes = new Set<number>();
  for (let at = 2; at < text.length; at += 1) {
    const classAt = (place: number) => text.charCodeAt(place);
    hashes.add(toTrigramHash(toTrigram(classAt(at - 2), classAt(at - 1), classAt(at))));
  }
  return { hashes: [...hashes], groups: [], isImpossible: false };
}

function and(left: IndexPlan, right: IndexPlan): IndexPlan {
  if (left.isImpossible || right.isImpossible) return impossible;
  return {
    hashes: [...new Set([...left.hashes, ...right.hashes])],
    groups: [...left.groups, ...right.groups].slice(0, maxGroups),
    isImpossible: false,
  };
}

function or(left: IndexPlan, right: IndexPlan): IndexPlan {
  if (left.isImpossible) return right;
  if (right.isImpossible) return left;
  if (isEverything(left) || isEverything(right)) return everything;
  const members = [...membersOf(left), ...membersOf(right)];
  return members.length > maxStrings
    ? everything
    : { hashes: [], groups: [members], isImpossible: false };
}

/** The members of a plan. An alternative that is nothing but a group has that group's members. */
function membersOf(plan: IndexPlan): readonly IndexPlan[] {
  const [only, ...others] = plan.groups;
  return plan.hashes.length === 0 && only && others.length === 0 ? only : [plan];
}

function isEverything({ hashes, groups, isImpossible }: IndexPlan): boolean {
  return !isImpossible && hashes.length === 0 && groups.length === 0;
}
