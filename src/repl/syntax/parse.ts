// Parses source text to a syntax tree, for cells and for modules. Only this module and
// decorator-parser.ts use the parser.
import { Parser, type AnyNode, type Options, type Program } from 'acorn';

/** A syntax error with its place. Lines and columns count from 1. */
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

  /** True if the only fault is that the JavaScript parser doesn't support decorators. */
  get isOfDecorator(): boolean {
    return this.message.startsWith("Unexpected character '@'");
  }

  /** True if this error is further on in the code than `other`. */
  isBehind(other: CodeSyntaxError): boolean {
    return this.line === other.line ? this.column > other.column : this.line > other.line;
  }
}

// 100 columns: of a longer line (a minified file, a data URL) only the part around the column is
// shown.
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

/** Doesn't check that what a module exports by `export { name }` is declared. */
const StrippedParser = Parser.extend(
  (Base) =>
    class extends Base {
      checkLocalExport() {}
    },
);

/**
 * Parses code in which `await`, `return`, `import` and `export` may stand at the top level.
 * `script` also accepts code that only sloppy mode allows. `stripped` is a module whose types were
 * stripped: what it exports by `export { Name }` may have been a type.
 *
 * @throws CodeSyntaxError
 */
export function parseCode(
  code: string,
  kind: 'module' | 'stripped' | 'script' = 'module',
): Program {
  const parser = kind === 'stripped' ? StrippedParser : Parser;
  try {
    return parser.parse(code, parserOptions(kind === 'script' ? 'script' : 'module'));
  } catch (error) {
    throw toCodeSyntaxError(error, code, 0);
  }
}

/**
 * Converts an error of the parser or of the type stripper. Both have a `loc` and repeat it in the
 * message. `firstColumn` is the number of their first column.
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

/** Creates an error at an offset of the code. */
export function syntaxErrorAt(message: string, code: string, at: number): CodeSyntaxError {
  const before = code.slice(0, at).split('\n');
  return new CodeSyntaxError(message, code, before.length, (before.at(-1)?.length ?? 0) + 1);
}

/**
 * True if the host's own stack overflowed: a RangeError in V8 and JavaScriptCore, an InternalError
 * in Firefox.
 */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'InternalError');
}

/**
 * Creates the error for code whose nesting overflowed the host's stack. The place in the code isn't
 * known.
 */
export function nestedTooDeeply(code: string): CodeSyntaxError {
  return new CodeSyntaxError('The code is nested too deeply to be read', code, 1, 1);
}

function isPosition(value: unknown): value is { line: number; column: number } {
  return typeof value === 'object' && value !== null && 'line' in value && 'column' in value;
}

/** Returns the line of a node, counted from 1. */
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

/**
 * Walks a tree, parents first. If `visit` returns `false`, the children of the node are skipped.
 */
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

/** True for a function that would take the name of the variable it is assigned to. */
export function isAnonymousFunction(node: AnyNode): boolean {
  return (
    node.type === 'ArrowFunctionExpression' ||
    ((node.type === 'FunctionExpression' || node.type === 'ClassExpression') && !node.id)
  );
}
