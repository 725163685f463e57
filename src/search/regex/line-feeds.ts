// How a pattern treats line feeds: whether a match may hold one, and whether it must.
import { asciiMembers } from './ascii-members.ts';
import type { Assertion, RegexNode } from './regex-node.ts';

/**
 * True if a match could hold the character. Search treats `\n` and NUL apart, so they are asked
 * about.
 */
export function canMatch(node: RegexNode, char: '\n' | '\0'): boolean {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return false;
    case 'any':
      return char !== '\n' || node.matchesLineFeed;
    case 'literal':
      return node.codePoint === char.charCodeAt(0);
    case 'class':
      return asciiMembers(node.set, node.ignoreCase).includes(char.charCodeAt(0));
    case 'concatenation':
    case 'alternation':
      return node.nodes.some((part) => canMatch(part, char));
    case 'repetition':
      return node.max > 0 && canMatch(node.node, char);
  }
}

/**
 * True if the pattern names the character itself, so that it makes no sense without that character.
 * Among single characters (`a|\n`) it is one of a class, and only left out of it, as in Rust.
 */
export function namesCharacter(node: RegexNode, char: '\n' | '\0'): boolean {
  switch (node.kind) {
    case 'literal':
      return node.codePoint === char.charCodeAt(0);
    case 'class':
      return isOnly(node, char);
    case 'concatenation':
      return node.nodes.some((part) => namesCharacter(part, char));
    case 'alternation':
      return node.nodes.every((branch) => branch.kind === 'literal' || branch.kind === 'class')
        ? node.nodes.every((branch) => namesCharacter(branch, char))
        : node.nodes.some((branch) => namesCharacter(branch, char));
    case 'repetition':
      return node.max > 0 && namesCharacter(node.node, char);
    default:
      return false;
  }
}

/** True for a class of only this character: Rust takes it for the character itself. */
function isOnly(node: RegexNode & { kind: 'class' }, char: string): boolean {
  const { set } = node;
  const only = set.kind === 'union' && set.sets.length === 1 ? set.sets[0] : set;
  const code = char.charCodeAt(0);
  return only?.kind === 'range' && only.from === code && only.to === code;
}

export function hasAssertion(node: RegexNode, assertions: readonly Assertion[]): boolean {
  switch (node.kind) {
    case 'assertion':
      return assertions.includes(node.assertion);
    case 'concatenation':
    case 'alternation':
      return node.nodes.some((part) => hasAssertion(part, assertions));
    case 'repetition':
      return hasAssertion(node.node, assertions);
    default:
      return false;
  }
}
