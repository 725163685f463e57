// Estimates the work of a backtracking engine, such as JavaScript's, on a pattern. The engine tries all ways to
// match, and some patterns have very many: with `(a*)*b` each `a` doubles them.
import { asciiMembers } from './ascii-members.ts';
import { range } from './character-sets.ts';
import type { CharacterSet, RegexNode } from './regex-node.ts';

export interface Backtracking {
  /**
   * The work grows at most with this power of the text's length. `Infinity` if it multiplies with
   * each character. 1 for a pattern that never goes back.
   */
  readonly degree: number;
  /** The factor of counted repetitions: `.{0,200}` runs 200 steps, however long the text is. */
  readonly factor: number;
  /** The repetition that costs most, as it is written in the pattern. */
  readonly costlyPart: string | undefined;
}

/**
 * An upper bound, from the places where the pattern can continue in two ways with the same character. Repeated parts
 * aren't written out for it, so it costs little whatever their counts are. `isAscii`: for texts without other
 * characters. To the analysis those are all one, so without them less is ambiguous.
 */
export function analyzeBacktracking(
  node: RegexNode,
  { isAscii = false }: { readonly isAscii?: boolean } = {},
): Backtracking {
  const analyses = isAscii ? asciiAnalyses : anyAnalyses;
  let found = analyses.get(node);
  if (!found) {
    found = new Analysis(isAscii).run(node);
    analyses.set(node, found);
  }
  return found;
}

// One pattern is compiled for up to seven kinds of text.
const anyAnalyses = new WeakMap<RegexNode, Backtracking>();
const asciiAnalyses = new WeakMap<RegexNode, Backtracking>();

// 5 000 positions take some 50 ms. A larger pattern isn't analysed, and goes to the automaton in
// any case.
const maxPositions = 5_000;
const maxFollowers = 100_000;

/** One character or set of the pattern. */
interface Position {
  readonly number: number;
  readonly members: Members;
  /** The repetitions around it, the outermost first. */
  readonly loops: readonly Loop[];
  /** The positions that may come next, once for each way to get there. */
  readonly followers: Position[];
}

type Loop = RegexNode & { readonly kind: 'repetition' };

/** A part of the pattern: the possible beginnings and ends of its matches. */
interface Part {
  readonly isNullable: boolean;
  readonly first: readonly Position[];
  readonly last: readonly Position[];
}

/** The automaton of positions (Glushkov's). It is ambiguous where two followers share a character. */
class Analysis {
  readonly #isAscii: boolean;
  readonly #positions: Position[] = [];
  /** JavaScript undoes a round that matches nothing, while Rust accepts it. */
  #emptyLoop: Loop | undefined;
  /**
   * In `(^|\b)` two branches match nothing, each at the same place. No position shows these ways.
   */
  #isEmptyTwice = false;
  /** Keyed by the outermost repetition: see `#reachByItsOwn`. */
  readonly #reached = new Map<Loop, ReadonlySet<Position>>();
  #followerCount = 0;
  #isTooLarge = false;

  constructor(isAscii: boolean) {
    this.#isAscii = isAscii;
  }

  run(node: RegexNode): Backtracking {
    const whole = this.#visit(node, []);
    const endless = ({ source }: Loop) => ({ degree: Infinity, factor: 1, costlyPart: source });
    if (this.#isTooLarge) return { degree: Infinity, factor: 1, costlyPart: undefined };
    if (this.#emptyLoop) return endless(this.#emptyLoop);
    if (this.#isEmptyTwice) return { degree: Infinity, factor: 1, costlyPart: undefined };
    const isAmbiguous = ({ followers }: Position) => hasOverlap(followers);
    const ambiguous = this.#positions.filter(isAmbiguous);
    for (const position of ambiguous) {
      const loop = findSharedLoop(position);
      if (loop) return endless(loop);
    }
    // The ways into a repetition are those that lead on from each of its rounds. They count once.
    const choices = new Map<string, number>();
    for (const { followers, loops } of ambiguous) {
      const key = keyOf(followers);
      if (loops.length > 0) choices.set(key, Math.max(choices.get(key) ?? 1, roundsOf(loops)));
    }
    for (const positions of [whole.first, ...ambiguous.map(({ followers }) => followers)]) {
      const key = keyOf(positions);
      if (hasOverlap(positions) && !choices.has(key)) choices.set(key, Infinity);
    }
    // A search begins at each place of the text again, and a plain loop may run to its end.
    const loops = this.#positions.filter((each) => each.loops.length > 0);
    const plain = loops.filter((each) => !isAmbiguous(each));
    const runs = plain.map((each) => (this.#isRunOnce(each, whole) ? 1 : roundsOf(each.loops)));
    const counts = [...choices.values(), Math.max(1, ...runs)];
    return {
      degree: 1 + counts.filter((count) => count === Infinity).length,
      factor: counts.reduce((all, count) => (count === Infinity ? all : all * count), 1),
      costlyPart: (loops.find(isAmbiguous) ?? loops[0])?.loops.at(-1)?.source,
    };
  }

  /**
   * True if searches that begin at different places go through different characters in the
   * repetition. That holds if a match can't come to it only by its own characters. In `import\s+`
   * each blank is met once at most, from the one `import` before it.
   */
  #isRunOnce(position: Position, whole: Part): boolean {
    const outermost = position.loops.find(({ max }) => max === Infinity);
    if (!outermost) return false;
    let reached = this.#reached.get(outermost);
    if (!reached) {
      reached = this.#reachByItsOwn(outermost, whole);
      this.#reached.set(outermost, reached);
    }
    return !reached.has(position);
  }

  /** The positions that a match can reach by only the repetition's characters. */
  #reachByItsOwn(loop: Loop, whole: Part): ReadonlySet<Position> {
    const inLoop = new Uint8Array(memberCount);
    for (const { members, loops } of this.#positions) {
      if (loops.includes(loop)) for (const member of members) inLoop[member] = 1;
    }
    const isOwn = ({ members }: Position) => members.some((member) => inLoop[member] === 1);
    const reached = new Set(whole.first.filter(isOwn));
    // Positions added during the loop are visited too.
    for (const { followers } of reached) {
      for (const next of followers.filter(isOwn)) reached.add(next);
    }
    return reached;
  }

  #visit(node: RegexNode, loops: readonly Loop[]): Part {
    if (this.#isTooLarge) return nothing;
    switch (node.kind) {
      case 'empty':
      case 'assertion':
        return nothing;
      case 'concatenation':
        return node.nodes
          .map((part) => this.#visit(part, loops))
          .reduce((left, right) => this.#join(left, right), nothing);
      case 'alternation': {
        const parts = node.nodes.map((branch) => this.#visit(branch, loops));
        if (parts.filter(({ isNullable }) => isNullable).length > 1) this.#isEmptyTwice = true;
        return {
          isNullable: parts.some(({ isNullable }) => isNullable),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
        };
      }
      case 'repetition':
        return this.#visitRepetition(node, loops);
      default: {
        const number = this.#positions.length;
        const position: Position = {
          number,
          members: membersOf(node, this.#isAscii),
          loops,
          followers: [],
        };
        this.#positions.push(position);
        this.#isTooLarge = number >= maxPositions;
        return { isNullable: false, first: [position], last: [position] };
      }
    }
  }

  #visitRepetition(node: Loop, loops: readonly Loop[]): Part {
    if (node.max === 0) return nothing;
    if (node.max === 1) {
      const part = this.#visit(node.node, loops);
      if (part.isNullable && node.min === 0) this.#emptyLoop ??= node;
      return { ...part, isNullable: part.isNullable || node.min === 0 };
    }
    const part = this.#visit(node.node, [...loops, node]);
    if (part.isNullable) this.#emptyLoop ??= node;
    this.#join(part, part);
    return { ...part, isNullable: part.isNullable || node.min === 0 };
  }

  #join(left: Part, right: Part): Part {
    this.#followerCount += left.last.length * right.first.length;
    if (this.#followerCount > maxFollowers) this.#isTooLarge = true;
    if (this.#isTooLarge) return nothing;
    for (const { followers } of left.last) {
      for (const position of right.first) followers.push(position);
    }
    return {
      isNullable: left.isNullable && right.isNullable,
      first: left.isNullable ? [...left.first, ...right.first] : left.first,
      last: right.isNullable ? [...left.last, ...right.last] : right.last,
    };
  }
}

const nothing: Part = { isNullable: true, first: [], last: [] };

/**
 * Finds a repetition that holds a position and two ways on from it. It can take both, again and
 * again.
 */
function findSharedLoop({ loops, followers }: Position): Loop | undefined {
  return loops.find((loop) =>
    hasOverlap(followers.filter((follower) => follower.loops.includes(loop))),
  );
}

/** The maximum rounds of nested repetitions; `Infinity` where nothing counts them. */
function roundsOf(loops: readonly Loop[]): number {
  return loops.reduce((rounds, { max }) => rounds * max, 1);
}

/** The key of positions, independent of their order. */
function keyOf(positions: readonly Position[]): string {
  return positions
    .map(({ number }) => number)
    .sort((a, b) => a - b)
    .join();
}

/** True if two of them share a character. */
function hasOverlap(positions: readonly Position[]): boolean {
  const seen = new Uint8Array(memberCount);
  for (const { members } of positions) {
    if (members.some((member) => seen[member] === 1)) return true;
    for (const member of members) seen[member] = 1;
  }
  return false;
}

/** ASCII characters by their code; 128 for all others together, as if they were one. */
type Members = readonly number[];
const memberCount = 129;

function membersOf(
  node: RegexNode & { kind: 'literal' | 'class' | 'any' },
  isAscii: boolean,
): Members {
  if (node.kind === 'literal' && !node.ignoreCase) return [Math.min(node.codePoint, 128)];
  const ascii = asciiMembersOf(node);
  return isAscii || isAsciiAlone(node) ? ascii : [...ascii, 128];
}

function asciiMembersOf(node: RegexNode & { kind: 'literal' | 'class' | 'any' }): Members {
  switch (node.kind) {
    case 'literal':
      return asciiMembers(range(node.codePoint), node.ignoreCase);
    case 'class':
      return asciiMembers(node.set, node.ignoreCase);
    case 'any':
      return node.matchesLineFeed ? asciiMembers(range(0, 127), false) : notLineFeed;
  }
}

const notLineFeed: Members = asciiMembers(range(0, 127), false).filter((code) => code !== 10);

/** True for a part that is clearly only ASCII. */
function isAsciiAlone(node: RegexNode): boolean {
  if (node.kind === 'literal') {
    // Only these two ASCII letters have other cases outside of ASCII.
    const isFolded = node.ignoreCase && /[ks]/i.test(String.fromCodePoint(node.codePoint));
    return node.codePoint < 128 && !isFolded;
  }
  return node.kind === 'class' && !node.ignoreCase && isAsciiSet(node.set);
}

function isAsciiSet(set: CharacterSet): boolean {
  if (set.kind === 'range') return set.to < 128;
  return set.kind === 'union' && set.sets.every(isAsciiSet);
}
