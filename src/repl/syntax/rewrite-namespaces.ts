// Rewrites namespaces that hold values to the code that TypeScript emits:
//   var A;(function(A){ A.x = 1; function f() { return A.x } A.f=f; })(A||(A={}));
// Exported variables exist only as properties of the object. Functions, classes, enums and inner
// namespaces also have local names.
import type { AnyNode, Expression, FunctionExpression, Program, VariableDeclaration } from 'acorn';
import { parseDecorated } from './decorator-parser.ts';
import { editWithPlaces, type Edit, type Edited } from './edits.ts';
import { exportMark, linesOf, namespaceMark } from './namespace-marks.ts';
import { isFunctionNode, parserOptions, toCodeSyntaxError, walk } from './parse.ts';
import { lexicalNames, outerReferences, patternNames, varNames } from './scope.ts';

interface Namespace {
  readonly name: string;
  /** Namespaces that merge have the same key, and so share their exports. */
  readonly key: string;
  /** The name of the namespace's object inside its function. */
  readonly object: string;
  readonly isExported: boolean;
  readonly parent: Namespace | undefined;
}

interface Found {
  readonly path: readonly string[];
  readonly statement: AnyNode;
  readonly body: readonly AnyNode[];
}

/**
 * Turns the marks of namespace-marks.ts into namespaces. The code has no types at this point.
 *
 * @throws CodeSyntaxError
 */
export function rewriteNamespaces(code: string): Edited {
  let program: Program;
  try {
    program = parseDecorated(code, parserOptions('module'));
  } catch (error) {
    throw toCodeSyntaxError(error, code, 0);
  }
  const rewriter = new NamespacesRewriter(code);
  rewriter.collect(program.body, undefined);
  rewriter.write(program.body, undefined);
  return editWithPlaces(code, rewriter.edits);
}

class NamespacesRewriter {
  readonly edits: Edit[] = [];
  readonly #code: string;
  /** Namespace key → its exported names. */
  readonly #exports = new Map<string, Set<string>>();
  readonly #spaces = new Map<AnyNode, readonly Namespace[]>();
  readonly #resolved = new Set<AnyNode>();

  constructor(code: string) {
    this.#code = code;
  }

  /** Collects the namespaces and the names that they export. */
  collect(statements: readonly AnyNode[], owner: Namespace | undefined): void {
    const exports = owner && this.#exportsOf(owner);
    for (const { statement, isExported, next } of marked(statements)) {
      const found = toFound(statement);
      if (found) {
        if (isEmpty(found)) continue;
        const spaces = this.#toSpaces(found, owner, isExported);
        this.#spaces.set(statement, spaces);
        for (const { parent, name, isExported: isIn } of spaces)
          if (parent && isIn) this.#exportsOf(parent).add(name);
        this.collect(found.body, spaces.at(-1));
      } else if (isExported) {
        const names = isEnum(statement, next) ? varNames([statement]) : declaredNames(statement);
        for (const name of names) exports?.add(name);
      }
    }
  }

  write(statements: readonly AnyNode[], owner: Namespace | undefined): void {
    const taken = new Set(lexicalNames(statements.map(declarationOf)));
    const variables = new Set<string>();
    const locals = new Set([...taken, ...varNames(statements)]);
    const read: AnyNode[] = [];
    for (const { statement, isExported, next, mark } of marked(statements)) {
      if (mark) this.#replace(mark.start, mark.end - 1, '');
      const found = toFound(statement);
      const spaces = this.#spaces.get(statement);
      if (found && spaces) {
        locals.add(found.path[0] ?? '');
        this.#writeSpace(found, spaces, taken);
        taken.add(found.path[0] ?? '');
      } else if (found) {
        const text = linesOf(this.#code.slice(statement.start, statement.end));
        this.#replace(statement.start, statement.end, text);
      } else if (owner && isExported) {
        if (statement.type === 'VariableDeclaration' && !isEnum(statement, next)) {
          for (const name of declaredNames(statement)) variables.add(name);
          read.push(...this.#writeVariables(statement));
          continue;
        }
        this.#writeExport(statement, next, owner);
      }
      read.push(statement);
    }
    if (owner) this.#writeReferences(read, owner, { variables, locals });
  }

  #exportsOf({ key }: Namespace): Set<string> {
    const exports = this.#exports.get(key) ?? new Set();
    this.#exports.set(key, exports);
    return exports;
  }

  #toSpaces(found: Found, owner: Namespace | undefined, isExported: boolean): Namespace[] {
    const bound = boundNames(found.body);
    const spaces: Namespace[] = [];
    found.path.forEach((name, index) => {
      const parent = spaces.at(-1) ?? owner;
      const isMember = index > 0 || isExported;
      const key =
        parent && isMember
          ? `${parent.key}.${name}`
          : `${owner ? `${found.statement.start}:` : ''}${name}`;
      let object = name;
      const isHidden = bound.has(name) || found.path.slice(index + 1).includes(name);
      for (let count = 1; isHidden && (object === name || this.#code.includes(object)); count += 1)
        object = `${name}_${count}`;
      spaces.push({ name, key, object, isExported: isMember, parent });
    });
    return spaces;
  }

  #writeSpace(found: Found, spaces: readonly Namespace[], taken: ReadonlySet<string>): void {
    const heads = spaces.map(({ name, object, parent, isExported }, index) => {
      const isTaken = index === 0 && taken.has(name);
      const declaration = `${!parent && isExported ? 'export ' : ''}var ${name}`;
      return `${isTaken ? '' : declaration};(function(${object}){`;
    });
    const ends = spaces.map(({ name, parent, isExported }) => {
      const member = parent && isExported ? `${parent.object}.${name}` : name;
      return `})(${parent && isExported ? `${name}=` : ''}${member}||(${member}={}));`;
    });
    const { statement } = found;
    const { body } = functionOf(statement) ?? {};
    if (!body) return;
    const before = linesOf(this.#code.slice(statement.start, body.start));
    this.#replace(statement.start, body.start + 1, before + heads.join(''));
    this.#replace(body.end - 1, statement.end, ends.toReversed().join(''));
    this.write(found.body, spaces.at(-1));
    // In `A.B.C` the outer namespaces may have exports from other declarations that merge with
    // them.
    for (const space of spaces.slice(0, -1).toReversed()) {
      const locals = new Set(
        spaces.slice(spaces.indexOf(space) + 1, spaces.indexOf(space) + 2).map(({ name }) => name),
      );
      this.#writeReferences([statement], space, { variables: new Set(), locals });
    }
  }

  /** Writes `const x = 1, y: n = 2` as `A.x = 1, A.y = 2`. Returns the assigned expressions. */
  #writeVariables(node: VariableDeclaration): AnyNode[] {
    const isClosed = this.#code.charAt(node.end - 1) === ';';
    let at = node.start;
    const assigned: AnyNode[] = [];
    for (const { id, init, start, end } of node.declarations) {
      if (!init) continue;
      const comma = assigned.length === 0 ? '' : ',';
      const isObject = id.type === 'ObjectPattern';
      this.#replace(
        at,
        start,
        `${comma}${linesOf(this.#code.slice(at, start))}${isObject ? '(' : ''}`,
      );
      if (isObject) this.#replace(end, end, ')');
      at = end;
      assigned.push({
        type: 'AssignmentExpression',
        operator: '=',
        left: id,
        right: init,
        start,
        end,
      });
    }
    const end = isClosed ? node.end - 1 : node.end;
    this.#replace(at, end, linesOf(this.#code.slice(at, end)));
    return assigned;
  }

  #writeExport(node: AnyNode, next: AnyNode | undefined, { object }: Namespace): void {
    if (isEnum(node, next)) {
      const [name = ''] = varNames([node]);
      const [argument] = enumArguments(next);
      if (argument)
        this.#replace(
          argument.start,
          argument.end,
          `${name}=${object}.${name}||(${object}.${name}={})`,
        );
      return;
    }
    const text = declaredNames(node).map((name) => `${object}.${name}=${name};`);
    this.#replace(node.end, node.end, text.join(''));
  }

  #writeReferences(
    statements: readonly AnyNode[],
    owner: Namespace,
    names: { readonly variables: ReadonlySet<string>; readonly locals: ReadonlySet<string> },
  ): void {
    const program = { type: 'Program', body: statements } as unknown as Program;
    const exports = this.#exportsOf(owner);
    for (const { name, node, isShorthand } of outerReferences(program)) {
      if (this.#resolved.has(node)) continue;
      const isLocal = names.locals.has(name) && !names.variables.has(name);
      if (!isLocal && !exports.has(name)) continue;
      this.#resolved.add(node);
      if (isLocal) continue;
      const text = `${isShorthand ? `${name}:` : ''}${owner.object}.${name}`;
      this.#replace(node.start, node.end, text);
    }
  }

  #replace(start: number, end: number, text: string): void {
    if (start !== end || text !== '') this.edits.push({ start, end, text });
  }
}

interface Marked {
  readonly statement: AnyNode;
  readonly next: AnyNode | undefined;
  readonly isExported: boolean;
  readonly mark?: AnyNode;
}

/** Pairs statements with the export marks before them. */
function marked(statements: readonly AnyNode[]): Marked[] {
  const found: Marked[] = [];
  let isExported = false;
  statements.forEach((statement, index) => {
    if (isMark(statement)) {
      isExported = true;
      found.push({ statement, mark: statement, isExported: false, next: undefined });
      return;
    }
    // The function of an enum is handled together with its variable.
    found.push({ statement, isExported, next: statements[index + 1] });
    isExported = false;
  });
  return found;
}

function isMark(node: AnyNode): boolean {
  return (
    node.type === 'ExpressionStatement' &&
    node.expression.type === 'Identifier' &&
    node.expression.name === exportMark
  );
}

function functionOf(node: AnyNode): FunctionExpression | undefined {
  if (node.type !== 'ExpressionStatement') return undefined;
  const { expression } = node;
  return expression.type === 'AssignmentExpression' &&
    expression.right.type === 'FunctionExpression'
    ? expression.right
    : undefined;
}

function toFound(statement: AnyNode): Found | undefined {
  const body = functionOf(statement)?.body.body;
  if (!body || statement.type !== 'ExpressionStatement') return undefined;
  if (statement.expression.type !== 'AssignmentExpression') return undefined;
  const path: string[] = [];
  let target: AnyNode = statement.expression.left;
  while (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
    path.unshift(target.property.name);
    target = target.object;
  }
  const isSpace = target.type === 'Identifier' && target.name === namespaceMark;
  return isSpace ? { path, statement, body } : undefined;
}

/** True for a namespace that has only types. */
function isEmpty({ body }: Found): boolean {
  return body.every((statement) => {
    const found = toFound(statement);
    return found ? isEmpty(found) : isMark(statement) || statement.type === 'EmptyStatement';
  });
}

/** True for the two statements `var E; (function (E) { … })(E || (E = {}));`. */
function isEnum(node: AnyNode, next: AnyNode | undefined): boolean {
  if (node.type !== 'VariableDeclaration' || node.kind !== 'var') return false;
  const [argument] = enumArguments(next);
  return (
    argument?.type === 'LogicalExpression' &&
    argument.left.type === 'Identifier' &&
    argument.left.name === varNames([node])[0]
  );
}

function enumArguments(node: AnyNode | undefined): readonly AnyNode[] {
  if (node?.type !== 'ExpressionStatement') return [];
  const call: Expression = node.expression;
  return call.type === 'CallExpression' && call.callee.type === 'ParenthesizedExpression'
    ? call.arguments
    : [];
}

function declaredNames(node: AnyNode): string[] {
  return node.type === 'VariableDeclaration'
    ? node.declarations.flatMap(({ id }) => patternNames(id))
    : lexicalNames([node]);
}

/** Returns the declaration inside an export statement, or the statement itself. */
function declarationOf(node: AnyNode): AnyNode {
  const isExport =
    node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration';
  return (isExport && node.declaration) || node;
}

/** Returns all names that are bound anywhere in a body. */
function boundNames(body: readonly AnyNode[]): Set<string> {
  const names = new Set<string>();
  const visit = (node: AnyNode) => {
    if (node.type === 'VariableDeclarator') patternNames(node.id).forEach(add);
    if ('params' in node) node.params.flatMap(patternNames).forEach(add);
    if (node.type === 'CatchClause') patternNames(node.param ?? null).forEach(add);
    const isNamed = isFunctionNode(node) || /^Class(?:Declaration|Expression)$/u.test(node.type);
    if (isNamed && 'id' in node && node.id?.type === 'Identifier') add(node.id.name);
    toFound(node)?.path.forEach(add);
  };
  const add = (name: string) => names.add(name);
  for (const statement of body) walk(statement, visit);
  return names;
}
