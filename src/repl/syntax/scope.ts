// Scope analysis: finds the names that code binds and the names that are free in it. Used for cells
// (variables belong to the session), modules (imports are live bindings) and classification.
import type { AnyNode, Identifier, Pattern, Program } from 'acorn';
import type { Decorated } from './decorator-parser.ts';
import { childNodes, isFunctionNode } from './parse.ts';

/**
 * A use of a name that isn't bound by a function or block of the code. It is a top-level name or a
 * global.
 */
export interface OuterReference {
  readonly name: string;
  readonly node: Identifier;
  readonly isWrite: boolean;
  /** True if the variable is read and written, as in `n += 1` or `n++`. */
  readonly isUpdate: boolean;
  /** True if the reference is inside a function, so it doesn't run where it stands. */
  readonly isInFunction: boolean;
  /** True for `{ name }` in an object or a pattern. An edit must then write the key as well. */
  readonly isShorthand: boolean;
}

/** The names that a pattern binds. */
export function patternNames(pattern: Pattern | null): string[] {
  if (!pattern) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        patternNames(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => patternNames(element));
    case 'RestElement':
      return patternNames(pattern.argument);
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'MemberExpression':
      return [];
  }
}

/** Returns the `var` names of a body, including those in nested blocks but not in functions. */
export function varNames(body: readonly AnyNode[]): string[] {
  const names: string[] = [];
  const visit = (node: AnyNode) => {
    if (isFunctionNode(node) || node.type === 'StaticBlock') return;
    if (node.type === 'VariableDeclaration' && node.kind === 'var') {
      names.push(...node.declarations.flatMap((declarator) => patternNames(declarator.id)));
    }
    for (const child of childNodes(node)) visit(child);
  };
  for (const node of body) visit(node);
  return names;
}

/** Returns the names that one block binds by let, const, using, class and function declarations. */
export function lexicalNames(statements: readonly AnyNode[]): string[] {
  return statements.flatMap((statement) => {
    if (statement.type === 'VariableDeclaration' && statement.kind !== 'var') {
      return statement.declarations.flatMap((declarator) => patternNames(declarator.id));
    }
    if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
      return statement.id ? [statement.id.name] : [];
    }
    return [];
  });
}

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly parent: Scope | undefined;
  readonly isInFunction: boolean;
}

/** Returns all outer references of a program, in source order. */
export function outerReferences(program: Program): OuterReference[] {
  const finder = new ReferenceFinder();
  const root: Scope = { names: new Set(), parent: undefined, isInFunction: false };
  for (const statement of program.body) finder.visit(statement, root);
  return finder.references;
}

class ReferenceFinder {
  readonly references: OuterReference[] = [];

  visit(node: AnyNode, scope: Scope): void {
    switch (node.type) {
      case 'Identifier':
        this.#refer(node, scope, { isWrite: false, isShorthand: false });
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.#visitFunction(node, scope);
        return;
      case 'ClassDeclaration':
      case 'ClassExpression': {
        // Inside a class its name always means the class, even if the outer variable is assigned
        // again.
        const inner = this.#inner(scope, node.id ? [node.id.name] : []);
        this.#visitDecorators(node as Decorated, inner);
        if (node.superClass) this.visit(node.superClass, inner);
        this.visit(node.body, inner);
        return;
      }
      case 'BlockStatement':
        this.#visitAll(node.body, this.#inner(scope, lexicalNames(node.body)));
        return;
      case 'StaticBlock': {
        const names = [...lexicalNames(node.body), ...varNames(node.body)];
        this.#visitAll(node.body, this.#inner(scope, names));
        return;
      }
      case 'SwitchStatement': {
        this.visit(node.discriminant, scope);
        const names = lexicalNames(node.cases.flatMap((clause) => clause.consequent));
        this.#visitAll(node.cases, this.#inner(scope, names));
        return;
      }
      case 'ForStatement':
        this.#visitChildren(node, this.#inner(scope, node.init ? lexicalNames([node.init]) : []));
        return;
      case 'ForInStatement':
      case 'ForOfStatement': {
        const inner = this.#inner(scope, lexicalNames([node.left]));
        if (node.left.type === 'VariableDeclaration') this.visit(node.left, inner);
        else this.#visitPattern(node.left, inner, true);
        this.visit(node.right, inner);
        this.visit(node.body, inner);
        return;
      }
      case 'CatchClause': {
        const inner = this.#inner(scope, patternNames(node.param ?? null));
        if (node.param) this.#visitPattern(node.param, inner, false);
        this.visit(node.body, inner);
        return;
      }
      case 'VariableDeclarator':
        this.#visitPattern(node.id, scope, false);
        if (node.init) this.visit(node.init, scope);
        return;
      case 'AssignmentExpression':
        if (node.operator === '=') this.#visitPattern(node.left, scope, true);
        else this.#visitUpdated(node.left, scope);
        this.visit(node.right, scope);
        return;
      case 'UpdateExpression':
        this.#visitUpdated(node.argument, scope);
        return;
      case 'MemberExpression':
        this.visit(node.object, scope);
        if (node.computed) this.visit(node.property, scope);
        return;
      case 'Property':
        if (node.computed) this.visit(node.key, scope);
        if (node.shorthand && node.value.type === 'Identifier') {
          this.#refer(node.value, scope, { isWrite: false, isShorthand: true });
        } else this.visit(node.value, scope);
        return;
      case 'MethodDefinition':
      case 'PropertyDefinition':
        this.#visitDecorators(node as Decorated, scope);
        if (node.computed) this.visit(node.key, scope);
        if (node.value) this.visit(node.value, scope);
        return;
      case 'LabeledStatement':
        this.visit(node.body, scope);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return;
      case 'ExportNamedDeclaration':
        if (node.declaration) this.visit(node.declaration, scope);
        return;
      default:
        this.#visitChildren(node, scope);
    }
  }

  #visitDecorators(node: Decorated, scope: Scope): void {
    for (const { expression } of node.decorators ?? []) this.visit(expression, scope);
  }

  #visitUpdated(target: AnyNode, scope: Scope): void {
    if (target.type !== 'Identifier') this.visit(target, scope);
    else this.#refer(target, scope, { isWrite: true, isUpdate: true, isShorthand: false });
  }

  #visitFunction(node: Extract<AnyNode, { params: Pattern[] }>, scope: Scope): void {
    const statements = node.body.type === 'BlockStatement' ? node.body.body : [];
    const inner: Scope = {
      names: new Set([
        ...(node.type === 'FunctionExpression' && node.id ? [node.id.name] : []),
        ...(node.type === 'ArrowFunctionExpression' ? [] : ['arguments']),
        ...node.params.flatMap(patternNames),
        ...varNames(statements),
        ...lexicalNames(statements),
      ]),
      parent: scope,
      isInFunction: true,
    };
    for (const parameter of node.params) this.#visitPattern(parameter, inner, false);
    if (node.body.type === 'BlockStatement') this.#visitAll(statements, inner);
    else this.visit(node.body, inner);
  }

  /**
   * Names in a pattern are bindings or assignments. Defaults and computed keys are ordinary
   * expressions.
   */
  #visitPattern(pattern: Pattern | AnyNode, scope: Scope, isWrite: boolean): void {
    switch (pattern.type) {
      case 'Identifier':
        if (isWrite) this.#refer(pattern, scope, { isWrite, isShorthand: false });
        return;
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') {
            this.#visitPattern(property.argument, scope, isWrite);
            continue;
          }
          if (property.computed) this.visit(property.key, scope);
          const { value } = property;
          const target = value.type === 'AssignmentPattern' ? value.left : value;
          if (isWrite && property.shorthand && target.type === 'Identifier') {
            this.#refer(target, scope, { isWrite, isShorthand: true });
            if (value.type === 'AssignmentPattern') this.visit(value.right, scope);
          } else this.#visitPattern(value, scope, isWrite);
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) {
          if (element) this.#visitPattern(element, scope, isWrite);
        }
        return;
      case 'RestElement':
        this.#visitPattern(pattern.argument, scope, isWrite);
        return;
      case 'AssignmentPattern':
        this.#visitPattern(pattern.left, scope, isWrite);
        this.visit(pattern.right, scope);
        return;
      default:
        this.visit(pattern, scope);
    }
  }

  #refer(
    node: Identifier,
    scope: Scope,
    use: Pick<OuterReference, 'isWrite' | 'isShorthand'> & { readonly isUpdate?: boolean },
  ): void {
    for (let at: Scope | undefined = scope; at; at = at.parent) {
      if (at.names.has(node.name)) return;
    }
    const { isInFunction } = scope;
    this.references.push({ name: node.name, node, isInFunction, isUpdate: false, ...use });
  }

  #inner(parent: Scope, names: readonly string[]): Scope {
    return { names: new Set(names), parent, isInFunction: parent.isInFunction };
  }

  #visitAll(nodes: readonly AnyNode[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope);
  }

  #visitChildren(node: AnyNode, scope: Scope): void {
    for (const child of childNodes(node)) this.visit(child, scope);
  }
}
