// Computes the completion value of a list of statements, as `eval` does. It is the last expression
// statement that ran, also inside if, try, switch, loops and blocks.
// https://tc39.es/ecma262/#sec-statement-semantics (UpdateEmpty)
import type { AnyNode, Statement } from 'acorn';
import { Place, type Edit } from './edits.ts';
import { isAnonymousFunction, isFunctionNode, walk } from './parse.ts';

/**
 * Returns the index of the first statement from which the list's value can come. Statements before
 * one that always gives a value don't matter.
 */
export function valueStart(statements: readonly AnyNode[]): number {
  const last = statements.findLastIndex(
    (node) => node.type === 'ExpressionStatement' || hasOwnValue(node),
  );
  return Math.max(last, 0);
}

/**
 * Returns edits that store the statement's value in the variable `target`. If the statement gives
 * no value, the variable keeps its earlier one.
 */
export function completionEdits(code: string, statement: AnyNode, target: string): Edit[] {
  const rewriter = new CompletionRewriter(code, target);
  rewriter.statement(statement);
  return rewriter.edits;
}

/**
 * True for statements whose value is `undefined` if nothing in them ran. Blocks and labels aren't
 * among them: they keep the value before them.
 */
function hasOwnValue(node: AnyNode): boolean {
  switch (node.type) {
    case 'IfStatement':
    case 'SwitchStatement':
    case 'TryStatement':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return true;
    default:
      return false;
  }
}

function hasJump(root: AnyNode): boolean {
  let found = false;
  walk(root, (node) => {
    if (isFunctionNode(node)) return false;
    if (node.type === 'BreakStatement' || node.type === 'ContinueStatement') found = true;
    return !found;
  });
  return found;
}

class CompletionRewriter {
  readonly edits: Edit[] = [];
  readonly #code: string;
  readonly #target: string;

  constructor(code: string, target: string) {
    this.#code = code;
    this.#target = target;
  }

  /** Visits one statement of a list. */
  statement(node: AnyNode): void {
    if (hasOwnValue(unlabelled(node))) this.#insert(node.start, this.#reset);
    this.#visit(node);
  }

  #visit(node: AnyNode): void {
    switch (node.type) {
      case 'ExpressionStatement':
        this.#expression(node);
        return;
      case 'BlockStatement': {
        // If a jump may leave the block, each of its statements may be the last that gives a value.
        const from = node.body.some(hasJump) ? 0 : valueStart(node.body);
        for (const statement of node.body.slice(from)) this.statement(statement);
        return;
      }
      case 'LabeledStatement':
        this.#visit(node.body);
        return;
      case 'IfStatement':
        this.#body(node.consequent);
        if (node.alternate) this.#body(node.alternate);
        return;
      case 'SwitchStatement':
        for (const clause of node.cases) {
          for (const statement of clause.consequent) this.statement(statement);
        }
        return;
      case 'TryStatement':
        this.#visit(node.block);
        if (node.handler) {
          // A value of the `try` block doesn't count if the block threw.
          this.#insert(node.handler.body.start + 1, this.#reset);
          this.#visit(node.handler.body);
        }
        // A value in `finally` counts only if the block is left by a jump. That case is ignored.
        return;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.#body(node.body);
        return;
      default:
    }
  }

  /** Rewrites a statement that is the body of another one, such as of an `if`. */
  #body(node: Statement): void {
    const needsBlock = hasOwnValue(unlabelled(node));
    if (needsBlock) this.#insert(node.start, `{${this.#reset}`);
    this.#visit(node);
    if (needsBlock) this.#insertEnd(node.end, node.end, '}');
  }

  #expression(node: Extract<AnyNode, { type: 'ExpressionStatement' }>): void {
    // Assigned directly, an anonymous function would get the variable's name.
    const nameless = isAnonymousFunction(node.expression) ? '0,' : '';
    this.#insert(node.start, `${this.#target}=(${nameless}`);
    // Parentheses around the expression aren't part of its node, so they stay where they are.
    const rest = this.#code.slice(node.expression.end, node.end).replace(/;$/u, '');
    this.#insertEnd(node.expression.end, node.end, `${rest});`);
  }

  get #reset(): string {
    return `${this.#target}=void 0;`;
  }

  #insertEnd(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text, place: Place.endsStatement });
  }

  #insert(at: number, text: string): void {
    this.edits.push({ start: at, end: at, text });
  }
}

/** Returns the statement behind the labels. A loop's labels must stay right before the loop. */
function unlabelled(node: AnyNode): AnyNode {
  return node.type === 'LabeledStatement' ? unlabelled(node.body) : node;
}
