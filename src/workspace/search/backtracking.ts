// How much work a backtracking engine, which JavaScript's is, may have with a pattern. It tries all
// ways to match, and some patterns have a great many: `(a*)*b` doubles them with each `a`.
import { emitRegex } from './emit-regex.ts';
import type { CharacterSet, RegexNode } from './regex-node.ts';

export interface Backtracking {
  /**
   * The work grows with the text's length to this power at most; `Infinity` where it multiplies with
   * each character. 1 for what never goes back.
   */
  readonly degree: number;
  /** The repetition that costs most, as it is written in the pattern. */
  readonly costlyPart: string | undefined;
}

/**
 * An upper bound, from the places where the pattern can go on with one character in two ways. Repeated
 * parts aren't written out for it, so it costs little whatever their counts are.
 */
export function analyzeBacktracking(node: RegexNode): Backtracking {
  const analysis = new Analysis();
  return analysis.run(node);
}

/** One character or set of the pattern. */
interface Position {
  readonly members: Members;
  /** The repetitions around it, the outermost first. */
  readonly loops: readonly Loop[];
  /** What may come next, once for each way to get there. */
  readonly followers: Position[];
}

type Loop = RegexNode & { readonly kind: 'repetition' };

/** A part of the pattern: how a match of it may begin and end. */
interface Part {
  readonly isNullable: boolean;
  readonly first: readonly Position[];
  readonly last: readonly Position[];
}

/** The automaton of positions (Glushkov's). It is ambiguous where two followers share a character. */
class Analysis {
  readonly #positions: Position[] = [];
  /** JavaScript takes back a round that matches nothing, where Rust is content with it. */
  #emptyLoop: Loop | undefined;

  run(node: RegexNode): Backtracking {
    const whole = this.#visit(node, []);
    if (this.#emptyLoop) return { degree: Infinity, costlyPart: this.#emptyLoop.source };
    const isAmbiguous = ({ followers }: Position) => hasOverlap(followers);
    const ambiguous = this.#positions.filter(isAmbiguous);
    for (const position of ambiguous) {
      const loop = findSharedLoop(position);
      if (loop) return { degree: Infinity, costlyPart: loop.source };
    }
    // The ways into a repetition are those on from each of its rounds: they count once.
    const choices = [whole.first, ...ambiguous.map(({ followers }) => followers)]
      .filter(hasOverlap)
      .map((positions) => positions.map((each) => this.#positions.indexOf(each)).sort());
    const choiceCount = new Set(choices.map((numbers) => numbers.join())).size;
    // A search begins at each place of the text anew, and a plain loop may run to its end.
    const loops = this.#positions.filter((each) => each.loops.length > 0);
    const runs = loops.some((each) => !isAmbiguous(each));
    return {
      degree: 1 + choiceCount + (runs ? 1 : 0),
      costlyPart: (loops.find(isAmbiguous) ?? loops[0])?.loops.at(-1)?.source,
    };
  }

  #visit(node: RegexNode, loops: readonly Loop[]): Part {
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
        return {
          isNullable: parts.some(({ isNullable }) => isNullable),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
        };
      }
      case 'repetition':
        return this.#visitRepetition(node, loops);
      default: {
        const position: Position = { members: membersOf(node), loops, followers: [] };
        this.#positions.push(position);
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

/** A repetition that holds a position and two ways on from it: it can take both, again and again. */
function findSharedLoop({ loops, followers }: Position): Loop | undefined {
  return loops.find((loop) =>
    hasOverlap(followers.filter((follower) => follower.loops.includes(loop))),
  );
}

/** Do two of them share a character? */
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

function membersOf(node: RegexNode & { kind: 'literal' | 'class' | 'any' }): Members {
  const expression = new RegExp(emitRegex(node, { isAscii: true, scope: 'text' }).source);
  const ascii = Array.from({ length: 128 }, (_, code) => code).filter((code) =>
    expression.test(String.fromCharCode(code)),
  );
  return isAsciiAlone(node) ? ascii : [...ascii, 128];
}

/** False where it isn't plain to see. */
function isAsciiAlone(node: RegexNode): boolean {
  if (node.kind === 'literal') {
    // Of ASCII letters these two have other cases outside of ASCII.
    const isFolded = node.ignoreCase && /[ks]/i.test(String.fromCodePoint(node.codePoint));
    return node.codePoint < 128 && !isFolded;
  }
  return node.kind === 'class' && !node.ignoreCase && isAsciiSet(node.set);
}

function isAsciiSet(set: CharacterSet): boolean {
  if (set.kind === 'range') return set.to < 128;
  return set.kind === 'union' && set.sets.every(isAsciiSet);
}
