// Source text to syntax tree, for cells and for modules: the one place that knows the parser.
import { parse, type AnyNode, type Program } from 'acorn';

/** Code that can't be parsed, and where. Lines and columns count from 1. */
export class CodeSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.name = 'SyntaxError';
    this.line = line;
    this.column = column;
  }
}

/**
 * Parses with top-level `await`, `return`, `import` and `export`. `script` takes sloppy code that
 * no module may hold.
 *
 * @throws CodeSyntaxError
 */
export function parseCode(code: string, sourceType: 'module' | 'script' = 'module'): Program {
  try {
    return parse(code, {
      ecmaVersion: 'latest',
      sourceType,
      locations: true,
      allowAwaitOutsideFunction: sourceType === 'module',
      allowReturnOutsideFunction: true,
    });
  } catch (error) {
    throw toCodeSyntaxError(error);
  }
}

/** The parser's error, or the type stripper's: both bear `loc` and name it in their message too. */
export function toCodeSyntaxError(error: unknown): CodeSyntaxError {
  if (error instanceof CodeSyntaxError || !(error instanceof Error)) throw error;
  const at = 'loc' in error && isPosition(error.loc) ? error.loc : { line: 1, column: 0 };
  const message = error.message
    .replace(/^Error transforming [^:]*: /u, '')
    .replace(/ \(\d+:\d+\)$/u, '');
  return new CodeSyntaxError(message, at.line, at.column + 1);
}

function isPosition(value: unknown): value is { line: number; column: number } {
  return typeof value === 'object' && value !== null && 'line' in value && 'column' in value;
}

/** The line of a node, from 1. */
export function lineOf(
  node: AnyNode | { readonly loc?: { start: { line: number } } | null },
): number {
  return node.loc?.start.line ?? 1;
}

/** The nodes right below one, in source order. */
export function* childNodes(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) yield item;
    } else if (isNode(value)) yield value;
  }
}

/** Visits a tree, parents first. A visitor that returns `false` keeps out of the node's children. */
export function walk(node: AnyNode, visit: (node: AnyNode) => boolean | void): void {
  if (visit(node) === false) return;
  for (const child of childNodes(node)) walk(child, visit);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export function isFunctionNode(node: AnyNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}
