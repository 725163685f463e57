// Source text to syntax tree, for cells and for modules: the one place that knows the parser.
import { parse, type AnyNode, type Options, type Program } from 'acorn';

/** Code that can't be parsed, and where. Lines and columns count from 1. */
export class CodeSyntaxError extends Error {
  readonly line: number;
  readonly column: number;
  /** The line of code, and below it a caret at the column. */
  readonly frame: string;

  constructor(message: string, code: string, line: number, column: number) {
    super(message);
    this.name = 'SyntaxError';
    this.line = line;
    this.column = column;
    this.frame = frameOf(code, line, column);
  }

  /** True if it only says that the parser of JavaScript knows no decorators. */
  get isOfDecorator(): boolean {
    return this.message.startsWith("Unexpected character '@'");
  }

  /** True if it stands further on in the code than the other. */
  isBehind(other: CodeSyntaxError): boolean {
    return this.line === other.line ? this.column > other.column : this.line > other.line;
  }
}

// A longer line (a minified file, a data URL) is shown only around the column.
const frameColumns = 100;
const frameColumnsBefore = 60;

function frameOf(code: string, line: number, column: number): string {
  const text = code.split(/\r\n|[\n\r\u2028\u2029]/u)[line - 1] ?? '';
  const start = text.length <= frameColumns ? 0 : Math.max(0, column - 1 - frameColumnsBefore);
  const shown = text.slice(start, start + frameColumns).replaceAll('\t', ' ');
  return `  ${shown}\n  ${' '.repeat(column - 1 - start)}^`;
}

export function parserOptions(sourceType: 'module' | 'script'): Options {
  return {
    ecmaVersion: 'latest',
    sourceType,
    locations: true,
    allowAwaitOutsideFunction: sourceType === 'module',
    allowReturnOutsideFunction: true,
  };
}

/**
 * Parses with top-level `await`, `return`, `import` and `export`. `script` takes sloppy code that
 * no module may hold.
 *
 * @throws CodeSyntaxError
 */
export function parseCode(code: string, sourceType: 'module' | 'script' = 'module'): Program {
  try {
    return parse(code, parserOptions(sourceType));
  } catch (error) {
    throw toCodeSyntaxError(error, code, 0);
  }
}

/**
 * The parser's error, or the type stripper's. Both bear `loc`, and name it in their message too.
 * `firstColumn` is what they count columns from.
 */
export function toCodeSyntaxError(
  error: unknown,
  code: string,
  firstColumn: 0 | 1,
): CodeSyntaxError {
  if (!(error instanceof Error)) throw error;
  if (isStackOverflow(error)) return nestedTooDeeply(code);
  const at = 'loc' in error && isPosition(error.loc) ? error.loc : { line: 1, column: firstColumn };
  const message = error.message
    .replace(/^Error transforming [^:]*: /u, '')
    .replace(/ \(\d+:\d+\)$/u, '');
  return new CodeSyntaxError(message, code, at.line, at.column + 1 - firstColumn);
}

/** An error at an offset of the code. */
export function syntaxErrorAt(message: string, code: string, at: number): CodeSyntaxError {
  const before = code.slice(0, at).split('\n');
  return new CodeSyntaxError(message, code, before.length, (before.at(-1)?.length ?? 0) + 1);
}

/** Our own stack ran out: a RangeError in V8 and JavaScriptCore; Firefox has an error of its own for it. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'InternalError');
}

/** The error for code that exhausts our own stack. The place in the code can't be told. */
export function nestedTooDeeply(code: string): CodeSyntaxError {
  return new CodeSyntaxError('The code is nested too deeply to be read', code, 1, 1);
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

/**
 * The nodes right below one, in source order. Each module is walked several times, so it is a list that a plain loop
 * fills: a generator takes three times as long.
 */
export function childNodes(node: AnyNode): readonly AnyNode[] {
  const children: AnyNode[] = [];
  const members = node as unknown as Readonly<Record<string, unknown>>;
  for (const name in members) {
    const value = members[name];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item);
    } else if (isNode(value)) children.push(value);
  }
  return children;
}

/** Visits a tree, parents first. A visitor that returns `false` keeps out of the node's children. */
export function walk(node: AnyNode, visit: (node: AnyNode) => boolean | void): void {
  if (visit(node) === false) return;
  for (const child of childNodes(node)) walk(child, visit);
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

export function isFunctionNode(node: AnyNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

/** True for a function that takes its name from the variable to which it is assigned. */
export function isAnonymousFunction(node: AnyNode): boolean {
  return (
    node.type === 'ArrowFunctionExpression' ||
    ((node.type === 'FunctionExpression' || node.type === 'ClassExpression') && !node.id)
  );
}
