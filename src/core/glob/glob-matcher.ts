// Matches a glob with an automaton, in time that grows with the lengths of path and glob. Security:
// globs come from untrusted files and run on the page's own thread, where a backtracking RegExp
// could hang. Like RE2 it simulates all states at once and caches them.
import { slashCodePoint } from './glob-node.ts';
import type { CodePointRange, GlobNode, GlobNodes } from './glob-node.ts';

/** The set of places in the glob that a match may have reached after some characters. */
interface Places {
  /** The places in the set that take a character. */
  readonly steps: readonly number[];
  readonly isEnd: boolean;
  readonly isBelow: boolean;
}

/** A cached set of places, with the state that follows on each kind of character. */
interface State extends Places {
  /** The next states by the kind of the next character. */
  readonly following: (State | undefined)[];
}

/** What a place takes: the code point of a character, or one of these negative numbers. */
const notSlash = -1;
const anyCharacter = -2;
/** The place takes nothing, and leads to all places of `#ways`. */
const split = -3;
/** The glob's end: the path must end here, too. */
const end = -4;
/** The place below the glob's end: it matches whatever follows. */
const below = -5;
/** The first class of the glob; the others have the numbers below. */
const firstClass = -6;

interface CharacterClass {
  readonly ranges: readonly CodePointRange[];
  readonly isNegated: boolean;
}

// About 1 MB for a glob whose states are all different. Usual globs need far fewer.
const maxKeptSteps = 20_000;

/** What a glob with these nodes matches. */
export class GlobMatcher {
  /** By the number of a place: what it takes, the place that follows, or the places to which a split leads. */
  readonly #takes: number[] = [];
  readonly #nexts: number[] = [];
  readonly #ways: (readonly number[])[] = [];
  readonly #classes: CharacterClass[] = [];
  /**
   * Each character that the glob names is a separate kind, as is each set of characters that the same classes take.
   */
  readonly #named = new Set([slashCodePoint]);
  readonly #kinds = new Map<string, number>();
  readonly #asciiKinds = new Uint16Array(128);
  readonly #states = new Map<string, State>();
  readonly #first: State;
  #keptSteps = 0;
  /** The pass in which a place was last visited. This saves clearing a set for each new state. */
  readonly #visits: Uint32Array;
  #visit = 0;

  /** `matchesBelow`: the glob also matches what is below a directory that it names. */
  constructor(nodes: GlobNodes, { matchesBelow = false } = {}) {
    const ways = [this.#add(end)];
    if (matchesBelow) ways.push(this.#add(slashCodePoint, this.#add(below)));
    const start = this.#compile(nodes, this.#split(ways));
    this.#visits = new Uint32Array(this.#takes.length);
    for (let codePoint = 0; codePoint < 128; codePoint += 1) {
      this.#asciiKinds[codePoint] = this.#findKind(codePoint);
    }
    this.#first = this.#keep(this.#listPlaces([start]));
  }

  /** The path from `from` on, as a whole. */
  matches(path: string, from = 0): boolean {
    let state = this.#first;
    for (let at = from; at < path.length;) {
      if (state.isBelow) return true;
      if (state.steps.length === 0) return false;
      const codePoint = path.codePointAt(at) ?? 0;
      const kind = this.#kindOf(codePoint);
      let next = state.following[kind];
      if (!next) {
        const places = this.#follow(state, codePoint);
        // A glob with too many states is matched without the cache.
        if (this.#keptSteps > maxKeptSteps) return this.#matchesFrom(places, path, at);
        next = state.following[kind] = this.#keep(places);
      }
      state = next;
      at += codePoint > 0xffff ? 2 : 1;
    }
    return state.isEnd || state.isBelow;
  }

  /** Matches without the cache. `reached` are the places after the character at `from`. */
  #matchesFrom(reached: Places, path: string, from: number): boolean {
    let places = reached;
    for (let at = from; ;) {
      if (places.isBelow) return true;
      at += (path.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      if (at >= path.length) return places.isEnd;
      if (places.steps.length === 0) return false;
      places = this.#follow(places, path.codePointAt(at) ?? 0);
    }
  }

  #kindOf(codePoint: number): number {
    if (codePoint < 128) return this.#asciiKinds[codePoint] ?? 0;
    return this.#findKind(codePoint);
  }

  /** The kind of a character. From each state all characters of one kind lead to the same next state. */
  #findKind(codePoint: number): number {
    const named = this.#named.has(codePoint) ? codePoint : '';
    const key = `${named} ${this.#classes.map((each) => Number(isIn(codePoint, each))).join('')}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const kind = this.#kinds.size;
    this.#kinds.set(key, kind);
    return kind;
  }

  #add(takes: number, next = 0, ways: readonly number[] = []): number {
    this.#nexts.push(next);
    this.#ways.push(ways);
    return this.#takes.push(takes) - 1;
  }

  #split(ways: readonly number[]): number {
    return this.#add(split, 0, ways);
  }

  /** Adds places for these nodes, and returns the first. `next` is the place that follows the last node. */
  #compile(nodes: GlobNodes, next: number): number {
    return nodes.reduceRight((after, node) => this.#compileNode(node, after), next);
  }

  #compileNode(node: GlobNode, next: number): number {
    switch (node.kind) {
      case 'character': {
        this.#named.add(node.codePoint);
        return this.#add(node.codePoint, next);
      }
      case 'one':
        return this.#add(notSlash, next);
      case 'class':
        return this.#add(firstClass - (this.#classes.push(node) - 1), next);
      case 'name':
        return this.#repeat(notSlash, next);
      case 'path':
        return this.#repeat(anyCharacter, next);
      case 'directories':
        return this.#split([next, this.#repeat(anyCharacter, this.#add(slashCodePoint, next))]);
      case 'alternatives':
        return this.#split(node.branches.map((branch) => this.#compile(branch, next)));
    }
  }

  #repeat(takes: number, next: number): number {
    const again = this.#takes.length + 1;
    return this.#split([this.#add(takes, again), next]);
  }

  #follow({ steps }: Places, codePoint: number): Places {
    const reached: number[] = [];
    for (const number of steps) {
      if (this.#isTaken(codePoint, this.#takes[number] ?? end))
        reached.push(this.#nexts[number] ?? 0);
    }
    return this.#listPlaces(reached);
  }

  #isTaken(codePoint: number, takes: number): boolean {
    if (takes >= 0) return takes === codePoint;
    if (takes === anyCharacter) return true;
    if (takes === notSlash) return codePoint !== slashCodePoint;
    const taken = this.#classes[firstClass - takes];
    return taken !== undefined && isIn(codePoint, taken);
  }

  /** These places, and all places that they reach without a character. Empties `open`. */
  #listPlaces(open: number[]): Places {
    this.#visit += 1;
    const steps: number[] = [];
    let isEnd = false;
    let isBelow = false;
    // With a stack of its own, because a long glob would overflow the call stack.
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (this.#visits[number] === this.#visit) continue;
      this.#visits[number] = this.#visit;
      const takes = this.#takes[number];
      if (takes === split) for (const way of this.#ways[number] ?? []) open.push(way);
      else if (takes === end) isEnd = true;
      else if (takes === below) isBelow = true;
      else steps.push(number);
    }
    return { steps, isEnd, isBelow };
  }

  #keep({ steps, isEnd, isBelow }: Places): State {
    const sorted = steps.toSorted((left, right) => left - right);
    const key = `${isEnd},${isBelow},${sorted.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    this.#keptSteps += steps.length + 1;
    const state: State = { steps: sorted, isEnd, isBelow, following: [] };
    this.#states.set(key, state);
    return state;
  }
}

function isIn(codePoint: number, { ranges, isNegated }: CharacterClass): boolean {
  return ranges.some(({ from, to }) => from <= codePoint && codePoint <= to) !== isNegated;
}
