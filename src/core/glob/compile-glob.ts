// A glob as a test of paths. Security: globs come from files of a workspace that nobody trusts, and are
// held against paths on the page's own thread. A RegExp would try all ways to match; this keeps them all
// at once and remembers which state follows on which character, as RE2 does. Time grows with the lengths
// of path and glob, and mostly with the path's alone.
import { parseGlob } from './parse-glob.ts';
import type { GlobNode, GlobNodes } from './parse-glob.ts';

/** What a glob says of absolute, normal paths. */
export interface PathGlob {
  test(path: string): boolean;
}

/** The glob must begin with a slash, or be empty. It also means what is below whatever it names. */
export function compileGlob(glob: string): PathGlob {
  const nodes = parseGlob(glob);
  const { text, rest } = splitText(nodes);
  // Most globs of rules: a path, spelled out.
  if (rest.length === 0) {
    const below = `${text}/`;
    return { test: (path) => path === text || path.startsWith(below) };
  }
  let matcher: Matcher | undefined;
  return {
    test: (path) =>
      path.startsWith(text) && (matcher ??= new Matcher(rest)).matches(path, text.length),
  };
}

/** The text that a glob begins with, and what follows it. */
function splitText(nodes: GlobNodes): { readonly text: string; readonly rest: GlobNodes } {
  let text = '';
  for (const [at, node] of nodes.entries()) {
    if (node.kind !== 'character') return { text, rest: nodes.slice(at) };
    text += String.fromCodePoint(node.codePoint);
  }
  return { text, rest: [] };
}

/** All places where a match may stand after some characters. */
interface Places {
  /** Those of them that take a character. */
  readonly steps: readonly number[];
  readonly isEnd: boolean;
  readonly isBelow: boolean;
}

/** Places that are remembered, with what follows on them. */
interface State extends Places {
  /** By the kind of the next character. */
  readonly following: (State | undefined)[];
}

/** What a place takes, where that isn't one certain character: then its code point stands there. */
const notSlash = -1;
const anyCharacter = -2;
/** It takes nothing, and leads on to all of `#ways`. */
const split = -3;
/** The glob's end: the path must end here, too. */
const end = -4;
/** What is below the glob's end: whatever follows, it matches. */
const below = -5;

const slash = 0x2f;

/** The kinds of characters: those that the glob names are told apart, in the order of their naming. */
const otherKind = 0;
const slashKind = 1;

// About a MB for a glob whose states are all different, and far more than others have.
const maxKeptSteps = 20_000;

class Matcher {
  /** Places by number: what each takes, where it then leads, or to which ones a split leads. */
  readonly #takes: number[] = [];
  readonly #nexts: number[] = [];
  readonly #ways: (readonly number[])[] = [];
  readonly #kinds = new Map([[slash, slashKind]]);
  readonly #asciiKinds = new Uint16Array(128);
  readonly #states = new Map<string, State>();
  readonly #first: State;
  #keptSteps = 0;
  /** When a place was last visited: saves clearing a set for each new state. */
  readonly #visits: Uint32Array;
  #visit = 0;

  constructor(nodes: GlobNodes) {
    const tail = this.#add(slash, this.#add(below));
    const start = this.#compile(nodes, this.#split([this.#add(end), tail]));
    this.#visits = new Uint32Array(this.#takes.length);
    for (const [codePoint, kind] of this.#kinds) {
      if (codePoint < 128) this.#asciiKinds[codePoint] = kind;
    }
    this.#first = this.#keep(this.#listPlaces([start]));
  }

  /** Of the path from `from` on. */
  matches(path: string, from: number): boolean {
    let state = this.#first;
    for (let at = from; at < path.length;) {
      if (state.isBelow) return true;
      if (state.steps.length === 0) return false;
      const codePoint = path.codePointAt(at) ?? 0;
      const kind = this.#kindOf(codePoint);
      let next = state.following[kind];
      if (!next) {
        const places = this.#follow(state, codePoint);
        // Who makes up a glob of ever new states has them made anew, each time.
        if (this.#keptSteps > maxKeptSteps) return this.#matchesFrom(places, path, at);
        next = state.following[kind] = this.#keep(places);
      }
      state = next;
      at += codePoint > 0xffff ? 2 : 1;
    }
    return state.isEnd || state.isBelow;
  }

  /** The same without remembering anything. `reached` are the places behind the character at `from`. */
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
    if (codePoint < 128) return this.#asciiKinds[codePoint] ?? otherKind;
    return this.#kinds.get(codePoint) ?? otherKind;
  }

  #add(takes: number, next = 0, ways: readonly number[] = []): number {
    this.#nexts.push(next);
    this.#ways.push(ways);
    return this.#takes.push(takes) - 1;
  }

  #split(ways: readonly number[]): number {
    return this.#add(split, 0, ways);
  }

  /** The place that these nodes begin with, given the one that follows them. */
  #compile(nodes: GlobNodes, next: number): number {
    return nodes.reduceRight((after, node) => this.#compileNode(node, after), next);
  }

  #compileNode(node: GlobNode, next: number): number {
    switch (node.kind) {
      case 'character': {
        const { codePoint } = node;
        if (!this.#kinds.has(codePoint)) this.#kinds.set(codePoint, this.#kinds.size + 1);
        return this.#add(codePoint, next);
      }
      case 'one':
        return this.#add(notSlash, next);
      case 'name':
        return this.#repeat(notSlash, next);
      case 'path':
        return this.#repeat(anyCharacter, next);
      case 'directories':
        return this.#split([next, this.#repeat(anyCharacter, this.#add(slash, next))]);
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
      const takes = this.#takes[number];
      const isTaken =
        takes === codePoint ||
        takes === anyCharacter ||
        (takes === notSlash && codePoint !== slash);
      if (isTaken) reached.push(this.#nexts[number] ?? 0);
    }
    return this.#listPlaces(reached);
  }

  /** These places and all that they lead to without a character. `open` is used up. */
  #listPlaces(open: number[]): Places {
    this.#visit += 1;
    const steps: number[] = [];
    let isEnd = false;
    let isBelow = false;
    // By hand: a glob may be longer than the stack of calls.
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
