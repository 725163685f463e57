// Decides whether a cell may run beside the session's other cells, on a copy of the session that is
// dropped afterwards. It may if its result is the same as in order, and if it leaves nothing that a
// later cell could see. Any syntax or name that isn't listed here makes the cell run in the session
// itself.
//
// Three rules ensure that. The cell uses no names of the session, only those of the language and
// the guest's world. It changes only its own variables, and objects that it has created. It calls
// only its own functions and listed ones. A value obtained in another way, such as the constructor
// of all functions, may be read but never called.
import type { AnyNode, CallExpression, MemberExpression, NewExpression, Program } from 'acorn';
import { fsEffects, mutatingMethods, pureMethods } from './classify-names.ts';
import { childNodes, isFunctionNode, walk } from '../syntax/parse.ts';
import { lexicalNames, outerReferences, patternNames, varNames } from '../syntax/scope.ts';

/** `program` must be plain JavaScript that was classified as read-only. */
export function standsAlone(program: Program): boolean {
  // Top-level declarations and imports belong to the session.
  if (lexicalNames(program.body).length > 0 || varNames(program.body).length > 0) return false;
  return new Judge(program).allows(program);
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/**
 * Node types that do nothing beyond their children. All other types are checked one by one or
 * refused.
 */
const plainNodes = words(
  'Program ExpressionStatement BlockStatement EmptyStatement IfStatement ForStatement ' +
    'WhileStatement DoWhileStatement ReturnStatement BreakStatement ContinueStatement ' +
    'LabeledStatement SwitchStatement SwitchCase ThrowStatement TryStatement CatchClause ' +
    'VariableDeclarator Literal TemplateLiteral TemplateElement ArrayExpression SpreadElement ' +
    'BinaryExpression LogicalExpression ConditionalExpression SequenceExpression ChainExpression ' +
    'ArrayPattern AssignmentPattern RestElement ObjectPattern',
);

/** Functions that convert a value. They may be passed to a method that calls them. */
const conversions = words('BigInt Boolean Number String isFinite isNaN parseFloat parseInt');

const constants = words('undefined NaN Infinity');

const constructors = words(
  'Array Error Map RangeError Set String TypeError Uint8Array Uint16Array Uint32Array Int8Array ' +
    'Int16Array Int32Array Float32Array Float64Array',
);

/**
 * Members of global objects that may be used. Clocks and random numbers are missing, because two
 * runs would share them.
 */
const members: Readonly<Record<string, ReadonlySet<string>>> = {
  Math: words(
    'E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 abs acos acosh asin asinh atan atan2 atanh cbrt ceil ' +
      'clz32 cos cosh exp expm1 floor fround hypot imul log log10 log1p log2 max min pow round sign ' +
      'sin sinh sqrt tan tanh trunc',
  ),
  JSON: words('parse stringify'),
  Object: words('entries hasOwn is keys values'),
  Array: words('from isArray of'),
  Number: words(
    'EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER isFinite isInteger isNaN isSafeInteger ' +
      'parseFloat parseInt',
  ),
  String: words('fromCharCode fromCodePoint'),
  console: words('debug dir error info log table warn'),
  path: words('basename dirname extname isAbsolute join normalize relative resolve sep'),
  fs: new Set(
    Object.entries(fsEffects).flatMap(([name, effect]) =>
      effect === 'destructive' ? [] : [`${name}Sync`],
    ),
  ),
};

/** Promise methods. They aren't allowed, because they call functions later. */
const waiting = words('catch finally then');

/** The index of the parameter that is a callback. */
const callbackAt: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      ...[
        'every',
        'filter',
        'find',
        'findIndex',
        'findLast',
        'findLastIndex',
        'flatMap',
        'forEach',
      ],
      ...['map', 'reduce', 'reduceRight', 'some', 'sort', 'toSorted'],
    ].map((name) => [name, 0]),
  ),
  ...{ from: 1, parse: 1, replace: 1, replaceAll: 1, stringify: 1 },
};

/** Names under which a value may be called: by a listed call, or by the language itself. */
const calledNames = new Set([
  ...pureMethods,
  ...mutatingMethods,
  ...['next', 'return', 'throw', 'then', 'toString', 'valueOf', 'toJSON'],
]);

/**
 * Names that lead from any value to a shared object, or from a view to other bytes of its buffer.
 */
const sharedNames = words('__proto__ arguments buffer callee caller constructor prototype');

/** The kind of a local name's value, if it is the same in all uses. */
type Local = 'function' | 'fresh' | 'any';

class Judge {
  readonly #outer: ReadonlySet<AnyNode>;
  readonly #locals: ReadonlyMap<string, Local>;

  constructor(program: Program) {
    this.#outer = new Set(outerReferences(program).map(({ node }) => node));
    this.#locals = findLocals(program);
  }

  allows(node: AnyNode): boolean {
    if (plainNodes.has(node.type)) return this.#allowsAll(childNodes(node));
    switch (node.type) {
      case 'Identifier':
        return this.#isOuter(node) ? constants.has(node.name) : node.name !== 'arguments';
      case 'VariableDeclaration':
        return !node.kind.endsWith('using') && this.#allowsAll(node.declarations);
      case 'ForInStatement':
      case 'ForOfStatement': {
        const isAsync = node.type === 'ForOfStatement' && node.await;
        return (
          !isAsync && node.left.type === 'VariableDeclaration' && this.#allowsAll(childNodes(node))
        );
      }
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return !node.async && !node.generator && this.#allowsAll(childNodes(node));
      case 'UnaryExpression':
        return node.operator !== 'delete' && this.allows(node.argument);
      case 'ObjectExpression':
        return node.properties.every((property) =>
          property.type === 'SpreadElement'
            ? this.allows(property)
            : property.kind === 'init' &&
              this.#allowsValueAt(property, property.key, property.value),
        );
      case 'Property':
        // The node is a property of a pattern.
        return (!node.computed || this.allows(node.key)) && this.allows(node.value);
      case 'AssignmentExpression':
        return this.allows(node.right) && this.#allowsTarget(node.left, node.right, node.operator);
      case 'UpdateExpression':
        return this.#allowsTarget(node.argument, undefined, node.operator);
      case 'MemberExpression':
        return this.#allowsMember(node);
      case 'CallExpression':
        return this.#allowsCall(node);
      case 'NewExpression':
        return this.#allowsNew(node);
      default:
        return false;
    }
  }

  #allowsAll(nodes: Iterable<AnyNode>): boolean {
    for (const node of nodes) if (!this.allows(node)) return false;
    return true;
  }

  #isOuter(node: AnyNode): boolean {
    return this.#outer.has(node);
  }

  /** Returns the name of a global, unless the cell declares it. */
  #worldName(node: AnyNode): string | undefined {
    return node.type === 'Identifier' && this.#isOuter(node) ? node.name : undefined;
  }

  #local(node: AnyNode): Local | undefined {
    return node.type === 'Identifier' && !this.#isOuter(node)
      ? this.#locals.get(node.name)
      : undefined;
  }

  /**
   * True if the value may be stored under this key. Under a name that the language calls, it must
   * be the cell's own function.
   */
  #allowsValueAt(owner: { readonly computed: boolean }, key: AnyNode, value: AnyNode): boolean {
    if (owner.computed && !this.allows(key)) return false;
    if (!this.allows(value)) return false;
    const name = keyName(owner.computed, key);
    if (name !== undefined && sharedNames.has(name)) return false;
    const mayBeCalled = name === undefined || calledNames.has(name);
    return !mayBeCalled || this.#isKnownValue(value);
  }

  #allowsTarget(target: AnyNode, value: AnyNode | undefined, operator: string): boolean {
    switch (target.type) {
      case 'Identifier':
        return !this.#isOuter(target);
      case 'MemberExpression': {
        const { object, property, computed } = target;
        if (this.#local(object as AnyNode) !== 'fresh') return false;
        // The result of an arithmetic operator is always a primitive.
        const isPrimitive = !['=', '||=', '&&=', '??='].includes(operator);
        if (!isPrimitive && value) return this.#allowsValueAt({ computed }, property, value);
        const name = keyName(computed, property);
        const isShared = name !== undefined && sharedNames.has(name);
        return !isShared && (!computed || this.allows(property));
      }
      case 'ArrayPattern':
      case 'ObjectPattern':
        // Assignments by a pattern may only have names as targets, which are checked one by one.
        return (
          this.allows(target) &&
          !containsMember(target) &&
          !this.#namesOf(target).some((node) => this.#isOuter(node))
        );
      default:
        return false;
    }
  }

  #namesOf(pattern: AnyNode): AnyNode[] {
    const names: AnyNode[] = [];
    walk(pattern, (node) => void (node.type === 'Identifier' && names.push(node)));
    return names;
  }

  /** Checks a member that is read. {@link Judge.#allowsCall} checks one that is called. */
  #allowsMember({ object, property, computed }: MemberExpression): boolean {
    const name = keyName(computed, property);
    if (name !== undefined && sharedNames.has(name)) return false;
    const world = this.#worldName(object as AnyNode);
    if (world !== undefined) return name !== undefined && isWorldMember(world, name);
    return this.allows(object as AnyNode) && (!computed || this.allows(property));
  }

  #allowsCall({ callee, arguments: given }: CallExpression): boolean {
    if (!this.#allowsAll(given as AnyNode[])) return this.#allowsConversions(callee, given);
    if (callee.type === 'Identifier') {
      const world = this.#worldName(callee);
      return world === undefined ? this.#local(callee) === 'function' : conversions.has(world);
    }
    if (isFunctionNode(callee as AnyNode)) return this.allows(callee as AnyNode);
    return this.#allowsMethod(callee as AnyNode, given as AnyNode[]);
  }

  /** Allows `list.map(Number)`: only here a global function may be used as a value. */
  #allowsConversions(callee: AnyNode | CallExpression['callee'], given: readonly unknown[]) {
    const others = (given as AnyNode[]).filter((node) => {
      const world = this.#worldName(node);
      return world === undefined || !conversions.has(world);
    });
    if (others.length === given.length) return false;
    return this.#allowsAll(others) && this.#allowsMethod(callee as AnyNode, given as AnyNode[]);
  }

  #allowsMethod(callee: AnyNode, given: readonly AnyNode[]): boolean {
    if (callee.type !== 'MemberExpression') return false;
    const object = callee.object as AnyNode;
    const name = keyName(callee.computed, callee.property);
    if (name === undefined || callee.computed || !this.#allowsCallback(name, given)) return false;
    const world = this.#worldName(object);
    if (world !== undefined) return isWorldMember(world, name);
    if (!this.allows(object)) return false;
    if (pureMethods.has(name)) return !waiting.has(name);
    return mutatingMethods.has(name) && this.#isFresh(object);
  }

  #allowsCallback(name: string, given: readonly AnyNode[]): boolean {
    const at = callbackAt[name];
    if (at === undefined) return true;
    const until = given.slice(0, at + 1);
    if (until.some(({ type }) => type === 'SpreadElement')) return false;
    const callback = given[at];
    return callback === undefined || this.#isKnownValue(callback);
  }

  /** True if the value isn't a function, or may be called. */
  #isKnownValue(node: AnyNode): boolean {
    if (isFunctionNode(node) || this.#local(node) === 'function') return true;
    const world = this.#worldName(node);
    if (world !== undefined) return conversions.has(world) || constants.has(world);
    return makesPrimitive.has(node.type) || this.#isFresh(node);
  }

  #allowsNew({ callee, arguments: given }: NewExpression): boolean {
    const world = this.#worldName(callee as AnyNode);
    return world !== undefined && constructors.has(world) && this.#allowsAll(given as AnyNode[]);
  }

  /** True if only the cell has the value. */
  #isFresh(node: AnyNode): boolean {
    return makesObject.has(node.type) || this.#local(node) === 'fresh';
  }
}

const makesPrimitive = words(
  'BinaryExpression Literal TemplateLiteral UnaryExpression UpdateExpression',
);

const makesObject = words('ArrayExpression NewExpression ObjectExpression');

function isWorldMember(world: string, name: string): boolean {
  return Object.hasOwn(members, world) && members[world]?.has(name) === true;
}

/** Returns a member's literal name, or undefined if it is computed. */
function keyName(isComputed: boolean, key: AnyNode): string | undefined {
  if (!isComputed && key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}

function containsMember(pattern: AnyNode): boolean {
  let isFound = false;
  walk(pattern, ({ type }) => void (isFound ||= type === 'MemberExpression'));
  return isFound;
}

/**
 * Finds local names over all scopes. A name that is declared twice or assigned may have any value.
 */
function findLocals(program: Program): Map<string, Local> {
  const locals = new Map<string, Local>();
  const bind = (name: string, local: Local) => {
    locals.set(name, locals.has(name) ? 'any' : local);
  };
  const bindAll = (names: readonly string[]) => {
    for (const name of names) bind(name, 'any');
  };
  walk(program, (node) => {
    switch (node.type) {
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          if (id.type === 'Identifier') bind(id.name, node.kind === 'const' ? kindOf(init) : 'any');
          else bindAll(patternNames(id));
        }
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        if ('id' in node && node.id) bind(node.id.name, 'function');
        bindAll(node.params.flatMap(patternNames));
        return;
      case 'CatchClause':
        bindAll(patternNames(node.param ?? null));
        return;
      case 'AssignmentExpression':
        // A pattern in a loop assigns to names. Such a name counts as any value, or is a function.
        bindAll(patternNames(node.left));
        return;
      default:
    }
  });
  return locals;
}

function kindOf(init: AnyNode | null | undefined): Local {
  if (!init) return 'any';
  if (isFunctionNode(init)) return 'function';
  return makesObject.has(init.type) ? 'fresh' : 'any';
}
