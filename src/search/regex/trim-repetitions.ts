// Shortens a pattern for the question whether a line matches at all: in `\w+Handler\(` one character before the name
// is enough. Without this, such a search took time by the line's length squared.
import { concatenate, type RegexNode } from './regex-node.ts';

/**
 * A pattern that matches in the same texts as the given one, but a shorter part. Repetitions at its two ends are as
 * short as possible.
 */
export function trimRepetitions(node: RegexNode): RegexNode {
  return trimEnd(trimEnd(node, 'first'), 'last');
}

type Side = 'first' | 'last';

function trimEnd(node: RegexNode, side: Side): RegexNode {
  switch (node.kind) {
    case 'repetition':
      // The copies next to the following part are themselves a match.
      if (node.min === 0) return { kind: 'empty' };
      return node.min === 1 ? trimEnd(node.node, side) : { ...node, max: node.min };
    case 'alternation':
      return { ...node, nodes: node.nodes.map((branch) => trimEnd(branch, side)) };
    case 'concatenation':
      return trimConcatenation(node.nodes, side);
    default:
      return node;
  }
}

function trimConcatenation(nodes: readonly RegexNode[], side: Side): RegexNode {
  const outermost = side === 'first' ? nodes[0] : nodes.at(-1);
  if (!outermost) return concatenate(nodes);
  const others = side === 'first' ? nodes.slice(1) : nodes.slice(0, -1);
  const trimmed = trimEnd(outermost, side);
  // Once that part is gone, its neighbour is the outermost.
  if (trimmed.kind === 'empty') return trimConcatenation(others, side);
  return concatenate(side === 'first' ? [trimmed, ...others] : [...others, trimmed]);
}
