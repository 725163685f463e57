// The character classes of an automaton: characters that no part of a pattern distinguishes are one
// class.
import { perlSet } from './character-sets.ts';
import { emitRegex } from './emit-regex.ts';
import type { Atom } from './linear-program.ts';
import type { RegexNode } from './regex-node.ts';

export interface ClassOptions {
  /**
   * The searched text: one line without its end, a whole text of many lines, or such a text with
   * each line taken by itself.
   */
  readonly scope: 'line' | 'lines' | 'text';
}

/** The properties of a character that assertions need, as bits of one number. */
export const nature = { none: 1, lineFeed: 2, asciiWord: 4, word: 8, broken: 16 } as const;

/**
 * Classes are numbered as they are met. 0 is no class: there is no character beyond either end of
 * the text.
 */
export class CharacterClasses {
  /** The class by the code of an ASCII character. 0 if it isn't known yet. */
  readonly ofAscii = new Int32Array(128);
  readonly #tests: readonly RegExp[];
  readonly #inLines: boolean;
  readonly #byCodePoint = new Map<number, number>();
  readonly #bySignature = new Map<string, number>();
  /** Which atoms match the characters of each class. */
  readonly #members: boolean[][] = [[]];
  readonly #natures: number[] = [nature.none];

  constructor(atoms: readonly Atom[], { scope }: ClassOptions) {
    this.#tests = atoms.map(toTest);
    this.#inLines = scope === 'lines';
  }

  of(codePoint: number): number {
    const known = codePoint < 128 ? this.ofAscii[codePoint] : this.#byCodePoint.get(codePoint);
    if (known) return known;
    const found = this.#classify(codePoint);
    if (codePoint < 128) this.ofAscii[codePoint] = found;
    else this.#byCodePoint.set(codePoint, found);
    return found;
  }

  /** The class of the character that ends at a place. */
  before(text: string, at: number): number {
    const pair = at > 1 ? (text.codePointAt(at - 2) ?? 0) : 0;
    return this.of(pair > 0xffff ? pair : text.charCodeAt(at - 1));
  }

  matches(kind: number, atom: number): boolean {
    return this.#members[kind]?.[atom] ?? false;
  }

  natureOf(kind: number): number {
    return this.#natures[kind] ?? nature.none;
  }

  #classify(codePoint: number): number {
    const char = String.fromCodePoint(codePoint);
    const isLineFeed = char === '\n';
    const members = this.#tests.map((test) => !(isLineFeed && this.#inLines) && test.test(char));
    const ownNature =
      (isLineFeed ? nature.lineFeed : 0) |
      (asciiWord.test(char) ? nature.asciiWord : 0) |
      (word.test(char) ? nature.word : 0) |
      (broken.test(char) ? nature.broken : 0);
    const signature = `${ownNature} ${members.map(Number).join('')}`;
    const known = this.#bySignature.get(signature);
    if (known !== undefined) return known;
    const kind = this.#members.push(members) - 1;
    this.#natures[kind] = ownNature;
    this.#bySignature.set(signature, kind);
    return kind;
  }
}

function toTest(node: RegexNode): RegExp {
  const { source, flags } = emitRegex(node, { isAscii: false, scope: 'text' });
  return new RegExp(source, flags);
}

const asciiWord = /[0-9A-Za-z_]/;
const word = toTest({ kind: 'class', set: perlSet('w', true), ignoreCase: false });
const broken = /\p{Cs}/v;
