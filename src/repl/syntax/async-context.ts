// Makes AsyncLocalStorage work across `await`: the engine has no hook that runs when a function
// resumes. So the rewritten code saves its context before it waits and restores it afterwards
// (guest/async-context.ts).
import type { AnyNode, Program, TryStatement } from 'acorn';
import { Place, type Edit } from './edits.ts';
import { childNodes, isFunctionNode, walk } from './parse.ts';

export interface ContextEdits {
  readonly edits: readonly Edit[];
  /** The declaration that the top level needs. Empty if the code never waits. */
  readonly declaration: string;
}

/**
 * Returns edits that make each function save its context in a local variable. `runtime` is the same
 * as in `importEdits`.
 */
export function contextEdits(program: Program, code: string, runtime: string): ContextEdits {
  if (!/\b(?:async|await)\b/u.test(code)) return { edits: [], declaration: '' };
  const rewriter = new ContextRewriter(code, runtime);
  const top: Owner = { isFunction: false, isAsync: true, waits: false };
  rewriter.visit(program, top);
  const edits = [...rewriter.starts, ...rewriter.ends];
  return { edits, declaration: top.waits ? rewriter.declaration : '' };
}

const neverThenable: ReadonlySet<string> = new Set([
  ...['AwaitExpression', 'Literal', 'TemplateLiteral', 'ArrayExpression', 'BinaryExpression'],
  ...['UnaryExpression', 'UpdateExpression', 'ArrowFunctionExpression', 'FunctionExpression'],
]);

/** A function, or the top level. */
interface Owner {
  readonly isFunction: boolean;
  readonly isAsync: boolean;
  waits: boolean;
}

class ContextRewriter {
  /** Edits at starts of nodes, outer nodes first. */
  readonly starts: Edit[] = [];
  /** Edits at ends of nodes, inner nodes first. */
  readonly ends: Edit[] = [];
  readonly declaration: string;
  readonly #code: string;
  readonly #runtime: string;
  /** The name of the variable that holds the saved context. */
  readonly #noted: string;
  readonly #note: string;
  readonly #again: string;

  constructor(code: string, runtime: string) {
    this.#code = code;
    this.#runtime = runtime;
    this.#noted = `${runtime}Context`;
    this.declaration = `let ${this.#noted};`;
    this.#note = `${this.#noted}=${runtime}.context()`;
    this.#again = `${runtime}.again(${this.#noted});`;
  }

  /** `label` is the outermost of the labels right before a loop. */
  visit(node: AnyNode, owner: Owner, label?: AnyNode): void {
    if (isFunctionNode(node)) {
      this.#function(node);
      return;
    }
    const ends: Edit[] = [];
    if (waits(node, owner.isAsync)) {
      owner.waits = true;
      ends.push(...this.#wait(node, label ?? node));
    }
    if (node.type === 'TryStatement') this.#try(node, owner.isAsync);
    if (node.type === 'ReturnStatement' && owner.isFunction && owner.isAsync && node.argument) {
      const hasSemicolon = this.#code.startsWith(';', node.end - 1);
      const to = node.end - (hasSemicolon ? 1 : 0);
      ends.push(...this.#result(node.argument, node.start + 'return'.length, to));
    }
    const next = node.type === 'LabeledStatement' ? (label ?? node) : undefined;
    for (const child of childNodes(node)) this.visit(child, owner, next);
    this.ends.push(...ends);
  }

  /** Saves and restores the context around a node that waits. Returns the edits behind the node. */
  #wait(node: AnyNode, loop: AnyNode): Edit[] {
    if (node.type === 'AwaitExpression') {
      const operand = node.start + 'await'.length;
      this.#start(node.start, `${this.#runtime}.back(`);
      this.#start(operand, ` ${this.#runtime}.wait(`);
      return [end(node.end, `,${this.#note}),${this.#noted})`)];
    }
    if (node.type === 'YieldExpression' && node.argument) {
      this.#start(node.start, `${this.#runtime}.back(`);
      this.#start(node.argument.start, `(${this.#note},`);
      return [end(node.argument.end, ')'), end(node.end, `,${this.#noted})`)];
    }
    if (node.type !== 'ForOfStatement') return [];
    // The added block begins before the loop's labels, because a label must stand right before its
    // loop.
    this.#statement(loop.start, '{');
    this.#start(node.right.start, `(${this.#note},`);
    this.#statement(node.body.start, `{${this.#again}`);
    return [end(node.right.end, ')'), insertion(loop.end, `}${this.#again}}`, Place.endsLoop)];
  }

  /**
   * Restores the context in `catch` and `finally`, because the awaited promise may have rejected.
   */
  #try({ block, handler, finalizer }: TryStatement, isAsync: boolean): void {
    const blockWaits = waitsWithin(block, isAsync);
    if (handler && blockWaits) this.#statement(handler.body.start + 1, this.#again);
    if (finalizer && (blockWaits || (handler && waitsWithin(handler.body, isAsync))))
      this.#statement(finalizer.start + 1, this.#again);
  }

  #function(node: AnyNode): void {
    if (!isFunctionNode(node) || !('async' in node)) return;
    const owner: Owner = { isFunction: true, isAsync: node.async, waits: false };
    const index = this.starts.length;
    const { body, params } = node;
    if (body.type === 'BlockStatement') {
      for (const child of childNodes(node)) this.visit(child, owner);
      if (!owner.waits) return;
      const directive = body.body.findLast((statement) => 'directive' in statement);
      const at = directive?.end ?? body.start + 1;
      const start = `${directive ? ';' : ''}${this.declaration}`;
      this.starts.splice(index, 0, insertion(at, start, Place.beginsStatement));
      return;
    }
    const arrow = /(?:[\s,()]|\/\/.*|\/\*[^]*?\*\/)*=>/uy;
    arrow.lastIndex = params.at(-1)?.end ?? node.start + (node.async ? 'async'.length : 0);
    arrow.test(this.#code);
    const at = arrow.lastIndex;
    const ends = node.async ? this.#result(body, at, node.end) : [];
    for (const child of childNodes(node)) this.visit(child, owner);
    this.ends.push(...ends);
    if (!owner.waits) return;
    const start = `{${this.declaration}return(`;
    this.starts.splice(index, 0, insertion(at, start, Place.beginsStatement));
    this.ends.push(end(node.end, ')}'));
  }

  /**
   * Wraps the value that an async function returns: a thenable may settle its promise. Returns the
   * edit behind the value.
   */
  #result(value: AnyNode, from: number, to: number): Edit[] {
    if (neverThenable.has(value.type)) return [];
    this.#start(from, ` ${this.#runtime}.wait((`);
    return [end(to, `),${this.#runtime}.context())`)];
  }

  #start(at: number, text: string): void {
    this.starts.push(insertion(at, text, Place.beginsExpression));
  }

  #statement(at: number, text: string): void {
    this.starts.push(insertion(at, text, Place.beginsStatement));
  }
}

function end(at: number, text: string): Edit {
  return insertion(at, text, Place.endsExpression);
}

function insertion(at: number, text: string, place: Place): Edit {
  return { start: at, end: at, text, place };
}

/**
 * True if the node itself waits. A plain `yield` doesn't count: the generator resumes in the
 * context of its caller.
 */
function waits(node: AnyNode, isAsync: boolean): boolean {
  if (node.type === 'AwaitExpression') return true;
  if (node.type === 'ForOfStatement') return node.await;
  return node.type === 'YieldExpression' && node.delegate && isAsync;
}

function waitsWithin(root: AnyNode, isAsync: boolean): boolean {
  let found = false;
  walk(root, (node) => {
    if (isFunctionNode(node)) return false;
    if (waits(node, isAsync)) found = true;
    return !found;
  });
  return found;
}
