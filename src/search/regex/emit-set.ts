// A set of characters in the syntax of JavaScript's `v` flag.
import type { CharacterSet } from './regex-node.ts';

/** A set as one atom of the `v` flag's syntax. */
export function emitSet(set: CharacterSet): string {
  switch (set.kind) {
    case 'range':
      return set.from === set.to ? emitCodePoint(set.from) : `[${emitMember(set)}]`;
    case 'property':
      return holdsSurrogates(set.name) ? `[\\p{${set.name}}--\\p{Cs}]` : `\\p{${set.name}}`;
    case 'union':
      return `[${set.sets.map(emitMember).join('')}]`;
    case 'not':
      return `[^${emitMember(set.set)}\\p{Cs}]`;
    case 'intersection':
      return `[${emitOperand(set.left)}&&${emitOperand(set.right)}]`;
    case 'difference':
      return `[${emitOperand(set.left)}--${emitOperand(set.right)}]`;
    case 'symmetric-difference': {
      const [left, right] = [emitOperand(set.left), emitOperand(set.right)];
      return `[[${left}--${right}][${right}--${left}]]`;
    }
  }
}

/** A set as part of a bracketed union. */
function emitMember(set: CharacterSet): string {
  if (set.kind !== 'range' || set.from === set.to) return emitSet(set);
  // Surrogates are no characters to Rust: a range that spans them leaves them out.
  const source = `${emitCodePoint(set.from)}-${emitCodePoint(set.to)}`;
  return set.from <= 0xdfff && set.to >= 0xd800 ? `[[${source}]--\\p{Cs}]` : source;
}

/** Operators take bracketed sets or single characters on either side, not ranges. */
function emitOperand(set: CharacterSet): string {
  return toOperand(emitSet(set));
}

export function toOperand(source: string): string {
  return source.startsWith('[') ? source : `[${source}]`;
}

/** Everything but letters and digits as a number: nothing then needs to be escaped. */
function emitCodePoint(codePoint: number): string {
  const char = String.fromCodePoint(codePoint);
  return /[0-9A-Za-z]/.test(char) ? char : `\\u{${codePoint.toString(16)}}`;
}

/** `Any`, `Other` and few others: asked of the engine, which has the tables. */
function holdsSurrogates(name: string): boolean {
  return new RegExp(`\\p{${name}}`, 'v').test('\ud800');
}
