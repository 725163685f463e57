// A linear-time engine, for patterns on which JavaScript's would backtrack too much. It simulates
// all ways to match at once and caches states, as RE2 and Rust's lazy automaton do. Time grows with
// the text alone.
import { CharacterClasses, nature, type ClassOptions } from './character-classes.ts';
import { compileProgram, type LinearProgram } from './linear-program.ts';
import type { Assertion, RegexNode } from './regex-node.ts';

export interface LinearOptions extends ClassOptions {
  /** Called now and then while new states are made. Throws to end the search. */
  checkTime(): void;
}

/** The place of a match, as `RegExp.exec` says it. */
export interface Found {
  readonly index: number;
  readonly 0: string;
}

/** Finds what Rust's engine finds: the leftmost match, and among several the preferred one. */
export class LinearExpression {
  readonly #forward: Automaton;
  readonly #node: RegexNode;
  readonly #options: LinearOptions;
  #backward: Automaton | undefined;

  /**
   * Compiles the pattern.
   * @throws ToolError `invalid-input` for a pattern that is too large.
   */
  constructor(node: RegexNode, options: LinearOptions) {
    this.#node = node;
    this.#options = options;
    this.#forward = new Automaton(compileProgram(node, 'forward'), 'forward', options);
  }

  /** The end of some match at or behind `from`, found as early as possible. -1 for none. */
  findEnd(text: string, from: number): number {
    return this.#forward.run(text, from, { restarts: true, isFirstEnough: true });
  }

  /** The first match at or behind `from`. It may look at the text before. */
  find(text: string, from: number): Found | null {
    const end = this.#forward.run(text, from, { restarts: true, isFirstEnough: false });
    if (end === -1) return null;
    // Read backwards from there, the longest way leads to the beginning of the leftmost match.
    this.#backward ??= new Automaton(
      compileProgram(this.#node, 'backward'),
      'backward',
      this.#options,
    );
    const start = this.#backward.run(text, end, {
      restarts: false,
      isFirstEnough: false,
      to: from,
    });
    return { index: start, 0: text.slice(start, end) };
  }
}

/** All ways in which a match may continue from one place. Created once for each combination. */
interface State {
  /** Steps that are still to be followed, the preferred first. */
  readonly steps: readonly number[];
  /** The nature of the character before the place: see `nature`. */
  readonly before: number;
  /** A match may still begin at later places. */
  readonly restarts: boolean;
  /** A match ended before the last character that was read. */
  readonly isMatchBehind: boolean;
  /** The states that follow, by the class of the next character. Filled as they are met. */
  readonly following: (State | undefined)[];
}

interface RunOptions {
  readonly restarts: boolean;
  /** The first end that is found is the answer. */
  readonly isFirstEnough: boolean;
  /** The last place to look at, when reading backwards. */
  readonly to?: number;
}

// Some MB. A pattern with more states is rare; its cache is then cleared.
const maxStates = 4_000;

// New states cost up to a millisecond each.
const statesBetweenChecks = 64;

class Automaton {
  readonly #program: LinearProgram;
  readonly #isForward: boolean;
  readonly #classes: CharacterClasses;
  readonly #inLines: boolean;
  readonly #checkTime: () => void;
  readonly #states = new Map<string, State>();
  /** When a step was last visited: saves clearing a set for each new state. */
  readonly #visits: Int32Array;
  #visit = 0;

  constructor(
    program: LinearProgram,
    direction: 'forward' | 'backward',
    { scope, checkTime }: LinearOptions,
  ) {
    this.#program = program;
    this.#isForward = direction === 'forward';
    this.#classes = new CharacterClasses(program.atoms, { scope });
    this.#inLines = scope === 'lines';
    this.#checkTime = checkTime;
    this.#visits = new Int32Array(program.steps.length);
  }

  /** The place where a match ends (backwards: begins), or -1. */
  run(text: string, from: number, options: RunOptions): number {
    return this.#isForward
      ? this.#runForward(text, from, options)
      : this.#runBackward(text, from, options);
  }

  #runForward(text: string, from: number, { restarts, isFirstEnough }: RunOptions): number {
    const classes = this.#classes;
    const { ofAscii } = classes;
    let state = this.#startState(from > 0 ? classes.before(text, from) : 0, restarts);
    let end = -1;
    for (let at = from; at < text.length;) {
      const code = text.charCodeAt(at);
      let width = 1;
      let kind = code < 128 ? (ofAscii[code] ?? 0) : 0;
      if (kind === 0) {
        const point = text.codePointAt(at) ?? 0;
        if (point > 0xffff) width = 2;
        kind = classes.of(point);
      }
      const next = state.following[kind] ?? this.#follow(state, kind);
      if (next.isMatchBehind) {
        end = at;
        if (isFirstEnough) return end;
      }
      if (next.steps.length === 0) return end;
      state = next;
      at += width;
    }
    const last = state.following[0] ?? this.#follow(state, 0);
    return last.isMatchBehind ? text.length : end;
  }

  #runBackward(text: string, from: number, { to = 0 }: RunOptions): number {
    const classes = this.#classes;
    const after = from < text.length ? classes.of(text.codePointAt(from) ?? 0) : 0;
    let state = this.#startState(after, false);
    let start = -1;
    for (let at = from; at > to;) {
      const kind = classes.before(text, at);
      const next = state.following[kind] ?? this.#follow(state, kind);
      if (next.isMatchBehind) start = at;
      if (next.steps.length === 0) return start;
      state = next;
      at -= isPairBefore(text, at) ? 2 : 1;
    }
    const kind = to > 0 ? classes.before(text, to) : 0;
    const last = state.following[kind] ?? this.#follow(state, kind);
    return last.isMatchBehind ? to : start;
  }

  #startState(classBefore: number, restarts: boolean): State {
    const before = this.#program.hasPlaces ? this.#classes.natureOf(classBefore) : 0;
    return this.#intern([this.#program.start], before, restarts, false);
  }

  /**
   * The state that follows on a character. Only now are both sides of the place before it known.
   */
  #follow(state: State, kind: number): State {
    const { steps, hasPlaces, start } = this.#program;
    const after = this.#classes.natureOf(kind);
    const next: number[] = [];
    let isMatch = false;
    const isDone = () => isMatch && this.#isForward;
    this.#visit += 1;
    const visit = this.#visit;
    // Depth first, the preferred way first. An explicit stack: a pattern may be longer than ours.
    const stack = state.steps.toReversed();
    for (let number = stack.pop(); number !== undefined && !isDone(); number = stack.pop()) {
      if (this.#visits[number] === visit) continue;
      this.#visits[number] = visit;
      const step = steps[number];
      if (!step) throw new TypeError('A step leads to one that is not there.');
      if (step.kind === 'match') isMatch = true;
      else if (step.kind === 'split') {
        for (let way = step.nexts.length - 1; way >= 0; way -= 1) stack.push(step.nexts[way] ?? 0);
      } else if (step.kind === 'place') {
        const [left, right] = this.#isForward ? [state.before, after] : [after, state.before];
        if (holds(step.assertion, step.isUnicode, left, right, this.#inLines)) {
          stack.push(step.next);
        }
      } else if (this.#classes.matches(kind, step.atom)) next.push(step.next);
    }
    const restarts = state.restarts && !isMatch;
    if (restarts) next.push(start);
    const following = this.#intern([...new Set(next)], hasPlaces ? after : 0, restarts, isMatch);
    state.following[kind] = following;
    return following;
  }

  #intern(
    steps: readonly number[],
    before: number,
    restarts: boolean,
    isMatchBehind: boolean,
  ): State {
    const key = `${before},${restarts},${isMatchBehind},${steps.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    if (this.#states.size % statesBetweenChecks === 0) this.#checkTime();
    if (this.#states.size >= maxStates) this.#forget();
    const state: State = { steps, before, restarts, isMatchBehind, following: [] };
    this.#states.set(key, state);
    return state;
  }

  /** Frees states that nothing leads to any more, with the states that they lead to. */
  #forget(): void {
    for (const state of this.#states.values()) state.following.length = 0;
    this.#states.clear();
  }
}

/** True if a place between two characters of these natures is one that the assertion asks for. */
function holds(
  assertion: Assertion,
  isUnicode: boolean,
  before: number,
  after: number,
  inLines: boolean,
): boolean {
  const word = isUnicode ? nature.word : nature.asciiWord;
  const isWordBefore = (before & word) !== 0;
  const isWordAfter = (after & word) !== 0;
  // Beside broken text Rust's engine doesn't count a place as one without a word.
  const isNoWordBefore = !isWordBefore && (before & nature.broken) === 0;
  const isNoWordAfter = !isWordAfter && (after & nature.broken) === 0;
  const lineEnd = nature.none | nature.lineFeed;
  switch (assertion) {
    case 'text-start':
      return (before & (inLines ? lineEnd : nature.none)) !== 0;
    case 'text-end':
      return (after & (inLines ? lineEnd : nature.none)) !== 0;
    case 'line-start':
      return (before & lineEnd) !== 0;
    case 'line-end':
      return (after & lineEnd) !== 0;
    case 'word-boundary':
      return isWordBefore !== isWordAfter;
    case 'not-word-boundary':
      return (isWordBefore && isWordAfter) || (isNoWordBefore && isNoWordAfter);
    case 'word-start':
      return !isWordBefore && isWordAfter;
    case 'word-end':
      return isWordBefore && !isWordAfter;
    case 'word-start-half':
      return isNoWordBefore;
    case 'word-end-half':
      return isNoWordAfter;
  }
}

function isPairBefore(text: string, at: number): boolean {
  return at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
}
