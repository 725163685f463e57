// Lists the ASCII characters of a set, with a cache: planning, analysis and compilation each need
// it.
import { emitSet } from './emit-set.ts';
import type { CharacterSet } from './regex-node.ts';

/** The codes of the members, in order. `ignoreCase`: also other cases of the set's characters. */
export function asciiMembers(set: CharacterSet, ignoreCase: boolean): readonly number[] {
  if (set.kind === 'range') return membersOfRange(set, ignoreCase);
  const found = ignoreCase ? inAnyCase : inOneCase;
  let members = found.get(set);
  if (!members) {
    members =
      set.kind === 'union' ? membersOfUnion(set.sets, ignoreCase) : askEngine(set, ignoreCase);
    found.set(set, members);
  }
  return members;
}

// The same sets of a pattern are asked about again and again, and `\w` is one set in all patterns.
const inOneCase = new WeakMap<CharacterSet, readonly number[]>();
const inAnyCase = new WeakMap<CharacterSet, readonly number[]>();

const asciiCodes: readonly number[] = Array.from({ length: 128 }, (_, code) => code);

/**
 * Characters beyond ASCII that are another case of an ASCII letter, by the codes of that letter's
 * two cases.
 */
const wideCases = new Map([
  [0x4b, 0x212a],
  [0x6b, 0x212a],
  [0x53, 0x17f],
  [0x73, 0x17f],
]);

function membersOfRange(
  { from, to }: CharacterSet & { readonly kind: 'range' },
  ignoreCase: boolean,
): readonly number[] {
  if (!ignoreCase) return asciiCodes.slice(Math.min(from, 128), Math.min(to + 1, 128));
  const holds = (code: number | undefined) => code !== undefined && code >= from && code <= to;
  return asciiCodes.filter(
    (code) => holds(code) || holds(otherCase(code)) || holds(wideCases.get(code)),
  );
}

function otherCase(code: number): number {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? code ^ 0x20 : code;
}

function membersOfUnion(sets: readonly CharacterSet[], ignoreCase: boolean): readonly number[] {
  const held = new Set(sets.flatMap((set) => asciiMembers(set, ignoreCase)));
  return asciiCodes.filter((code) => held.has(code));
}

/**
 * Asks the engine, which has the tables, and knows the effect of its own operators without regard
 * to case.
 */
function askEngine(set: CharacterSet, ignoreCase: boolean): readonly number[] {
  const member = new RegExp(`^${emitSet(set)}$`, ignoreCase ? 'iv' : 'v');
  return asciiCodes.filter((code) => member.test(String.fromCharCode(code)));
}
