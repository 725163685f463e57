// Classifies what a cell may do, from its syntax tree alone. The result decides scheduling, the
// question to the person, and the cell's capabilities. Safety doesn't depend on it, because a
// read-only cell runs over a file system that refuses writes. Code that can't be judged counts as a
// write.
import type { AnyNode, CallExpression, MemberExpression, Program } from 'acorn';
import { gitCommands } from '../../core/git/git-commands.ts';
import {
  fsEffects,
  fsModules,
  harmlessGlobals,
  harmlessModules,
  mutatingMethods,
  networkGlobals,
  opaqueGlobals,
  pureMethods,
} from './classify-names.ts';
import { literalHosts } from '../syntax/literal-hosts.ts';
import { childNodes, parseCode } from '../syntax/parse.ts';
import { standsAlone } from './stands-alone.ts';
import { lexicalNames, outerReferences, patternNames, varNames } from '../syntax/scope.ts';
import { hasTypeArguments } from '../syntax/typescript.ts';
import { specifierName } from '../syntax/imports.ts';

/** In ascending order. A cell has the highest class of all its parts. */
const classes = [
  'neutral',
  'list',
  'read',
  'search',
  'write',
  'destructive',
  'open-world',
  'dangerous',
] as const;

export type CellClass = (typeof classes)[number];

export interface CellClassification {
  readonly cellClass: CellClass;
  /** True if the cell changes no file. */
  readonly isReadOnly: boolean;
  /** True if the cell also changes no variable of the session, so that it may run beside others. */
  readonly isConcurrencySafe: boolean;
  /**
   * Set if the cell's result would be the same on a copy of the session that is dropped afterwards.
   * The cell may then run anywhere, as long as the session doesn't change.
   */
  readonly standsAlone?: true;
  /**
   * The hosts that an open-world cell names. Set if it reaches out by more than git. Other hosts
   * can only be reached if rules allow them.
   */
  readonly hosts?: readonly string[];
  /** Why a dangerous cell is refused. */
  readonly reason?: string;
}

/**
 * Never throws: code that can't be parsed as JavaScript (TypeScript too) counts as a write. `ownPorts`: where the
 * session's servers listen. Its hosts are without these; nothing else depends on them.
 */
export function classifyCell(code: string, ownPorts: readonly number[] = []): CellClassification {
  let program: Program;
  try {
    program = parseCell(code);
    if (hasTypeArguments(program, code)) return unknownCell(code, ownPorts);
    return new Classifier(program, code).classify(ownPorts);
  } catch {
    return unknownCell(code, ownPorts);
  }
}

/**
 * Classifies code that doesn't parse, only by its words. A word may be in a comment; the person is
 * then asked without need.
 */
function unknownCell(code: string, ownPorts: readonly number[]): CellClassification {
  const words = new Set(code.match(/\w+/gu));
  const isOpenWorld = [...networkGlobals].some((name) => words.has(name));
  return {
    cellClass: isOpenWorld ? 'open-world' : 'write',
    isReadOnly: false,
    isConcurrencySafe: false,
    ...(isOpenWorld && { hosts: literalHosts(code, ownPorts) }),
  };
}

function parseCell(code: string): Program {
  try {
    return parseCode(code);
  } catch (error) {
    // As in the session, `{ a: 1, b: 2 }` is read as an object.
    if (!/^\s*\{/u.test(code)) throw error;
    return parseCode(`(${code}\n)`);
  }
}

class Classifier {
  readonly #program: Program;
  readonly #code: string;
  /** The names that refer to the module `fs` in this cell. */
  readonly #fsNames = new Set<string>(['fs']);
  /** The cell's names of single functions of `fs` → the function. */
  readonly #fsFunctions = new Map<string, string>();
  readonly #declared: ReadonlySet<string>;
  /** True if `git` refers to the world's own global in this cell. */
  readonly #hasGit: boolean;
  readonly #seen = new Set<CellClass>(['neutral']);
  #reason: string | undefined;
  #touchesSession: boolean;
  /**
   * True if the cell reaches out by more than git commands. Each of those is asked about
   * separately.
   */
  #reachesBesideGit = false;

  constructor(program: Program, code: string) {
    this.#program = program;
    this.#code = code;
    const imported = program.body.flatMap((node) =>
      node.type === 'ImportDeclaration' ? node.specifiers.map(({ local }) => local.name) : [],
    );
    this.#declared = new Set([
      ...imported,
      ...lexicalNames(program.body.map(withoutExport)),
      ...varNames(program.body),
    ]);
    this.#touchesSession = this.#declared.size > 0;
    if (this.#declared.has('fs')) this.#fsNames.delete('fs');
    this.#hasGit = !this.#declared.has('git');
  }

  classify(ownPorts: readonly number[]): CellClassification {
    // Imports first: they hold from the cell's first line on, wherever they stand.
    const isImport = (node: AnyNode) => node.type === 'ImportDeclaration';
    for (const node of this.#program.body.filter(isImport)) this.#visit(node, []);
    for (const node of this.#program.body) if (!isImport(node)) this.#visit(node, []);
    const uses = outerReferences(this.#program);
    for (const { name, isWrite } of uses) {
      if (isWrite) this.#touchesSession = true;
      if (this.#declared.has(name)) continue;
      if (networkGlobals.has(name)) {
        this.#note('open-world');
        this.#reachesBesideGit = true;
      } else if (opaqueGlobals.has(name) || name === 'tools') this.#note('write');
    }
    const runsText = uses.some(({ name }) => name === 'eval' || name === 'Function');
    if (runsText && this.#seen.has('open-world')) {
      this.#refuse(
        'It runs text as code and reaches the network: code that came from outside could run.',
      );
    }
    if (this.#seen.has('read') && this.#seen.has('list')) this.#note('search');
    const cellClass = classes.findLast((candidate) => this.#seen.has(candidate)) ?? 'write';
    const isReadOnly = classes.indexOf(cellClass) < classes.indexOf('write');
    const isConcurrencySafe = isReadOnly && !this.#touchesSession;
    return {
      cellClass,
      isReadOnly,
      isConcurrencySafe,
      ...(isConcurrencySafe && standsAlone(this.#program) && { standsAlone: true as const }),
      ...(cellClass === 'open-world' && {
        hosts: this.#reachesBesideGit ? literalHosts(this.#code, ownPorts) : [],
      }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
    };
  }

  #note(cellClass: CellClass): void {
    this.#seen.add(cellClass);
  }

  #refuse(reason: string): void {
    this.#note('dangerous');
    this.#reason ??= reason;
  }

  #visit(node: AnyNode, parents: readonly AnyNode[]): void {
    switch (node.type) {
      case 'ImportDeclaration': {
        const module = this.#module(String(node.source.value));
        if (module !== 'fs') return;
        for (const specifier of node.specifiers) {
          if (specifier.type !== 'ImportSpecifier') this.#fsNames.add(specifier.local.name);
          else this.#bindFs(specifierName(specifier.imported), specifier.local.name);
        }
        return;
      }
      case 'ImportExpression':
        this.#module(literalText(node.source) ?? '');
        this.#note('write');
        break;
      case 'Identifier':
        this.#identifier(node.name, node, parents);
        return;
      case 'CallExpression':
        this.#call(node, parents);
        break;
      case 'NewExpression':
        this.#callee(node.callee as AnyNode);
        break;
      case 'TaggedTemplateExpression':
        this.#callee(node.tag);
        break;
      case 'ThisExpression':
        // At the top level and in arrow functions there, `this` is the global object.
        if (!parents.some(bindsThis)) this.#note('write');
        return;
      case 'MemberExpression':
        if (propertyName(node) === 'constructor') this.#note('write');
        if (isAssigned(node, parents.at(-1)) && this.#isSessionValue(node)) {
          this.#touchesSession = true;
        }
        break;
      default:
    }
    const inner = [...parents, node];
    for (const child of childNodes(node)) this.#visit(child, inner);
  }

  /**
   * Returns the kind of module that a specifier names. The code of a workspace file isn't known
   * here.
   */
  #module(specifier: string): 'fs' | 'harmless' | 'unknown' {
    const name = specifier.replace(/^node:/u, '');
    if (/^(?:https?|data|blob):/iu.test(specifier)) {
      this.#refuse(
        `It imports code from ${specifier.slice(0, 80)}. Only files of the workspace can be imported.`,
      );
    }
    if (fsModules.has(name)) return 'fs';
    if (harmlessModules.has(name)) return 'harmless';
    if (/^https?$/u.test(name) && literalHosts(this.#code).length > 0) {
      this.#note('open-world');
      this.#reachesBesideGit = true;
    }
    this.#note('write');
    return 'unknown';
  }

  #bindFs(name: string, local: string): void {
    if (name === 'promises' || name === 'default') this.#fsNames.add(local);
    else {
      this.#fsFunctions.set(local, name);
      this.#fsEffect(name);
    }
  }

  #fsEffect(name: string): void {
    if (name === 'constants') return;
    this.#note(fsEffects[name.replace(/Sync$/u, '')] ?? 'write');
  }

  #identifier(name: string, node: AnyNode, parents: readonly AnyNode[]): void {
    const parent = parents.at(-1);
    const isCalled = parent?.type === 'CallExpression' && parent.callee === node;
    if (name === 'require' && !isCalled && isValueUse(node, parent)) this.#note('write');
    if (!isValueUse(node, parent)) return;
    if (name === 'git' && this.#hasGit) this.#gitValue(parents);
    else if (this.#fsNames.has(name)) this.#fsValue(node, parents);
  }

  /** Classifies a use of `git`: a command by its name, or a member of a group of commands. */
  #gitValue(parents: readonly AnyNode[]): void {
    const [inner, outer] = [parents.at(-1), parents.at(-2)];
    const name = inner?.type === 'MemberExpression' ? propertyName(inner) : undefined;
    if (name === undefined) return this.#note('write');
    // `git.at(directory)` has the same commands.
    const isAt = name === 'at' && outer?.type === 'CallExpression' && outer.callee === inner;
    if (isAt) return this.#gitValue(parents.slice(0, -2));
    const member = outer?.type === 'MemberExpression' ? propertyName(outer) : undefined;
    const command = gitCommands.get(name) ?? gitCommands.get(`${name}.${member ?? ''}`);
    switch (command?.effect) {
      case 'read':
        return this.#note('read');
      case 'network':
        return this.#note('open-world');
      default:
        return this.#note('write');
    }
  }

  /**
   * Classifies a use of the module `fs`. Its members are known; anything else counts as a write.
   */
  #fsValue(node: AnyNode, parents: readonly AnyNode[]): void {
    const parent = parents.at(-1);
    if (parent?.type === 'MemberExpression' && parent.object === node) {
      const name = propertyName(parent);
      if (name === 'promises') this.#fsValue(parent, parents.slice(0, -1));
      else if (name === undefined) this.#note('write');
      else this.#fsEffect(name);
    } else if (parent?.type === 'VariableDeclarator' && parent.init === node) {
      const { id } = parent;
      if (id.type === 'Identifier') this.#fsNames.add(id.name);
      else if (id.type === 'ObjectPattern') {
        for (const property of id.properties) {
          const local = property.type === 'Property' ? patternNames(property.value)[0] : undefined;
          const isPlain = property.type === 'Property' && !property.computed;
          if (isPlain && local !== undefined) this.#bindFs(specifierName(property.key), local);
          else this.#note('write');
        }
      } else this.#note('write');
    } else if (parent?.type !== 'ExpressionStatement') this.#note('write');
  }

  #call(node: CallExpression, parents: readonly AnyNode[]): void {
    const { callee } = node;
    if (
      callee.type === 'Identifier' &&
      callee.name === 'require' &&
      !this.#declared.has('require')
    ) {
      const [argument] = node.arguments;
      const specifier = argument ? literalText(argument as AnyNode) : undefined;
      if (specifier === undefined) this.#note('write');
      else if (this.#module(specifier) === 'fs') this.#fsValue(node, parents);
      return;
    }
    this.#callee(callee as AnyNode);
  }

  /**
   * Judges the function that is called. The cell's own functions are in the tree, and the engine's
   * are known by name.
   */
  #callee(callee: AnyNode): void {
    if (callee.type === 'Identifier') {
      const { name } = callee;
      const isKnown =
        this.#declared.has(name) || harmlessGlobals.has(name) || networkGlobals.has(name);
      if (!isKnown && this.#isOuter(callee)) this.#note('write');
      return;
    }
    if (callee.type !== 'MemberExpression' || !this.#isSessionValue(callee)) return;
    const name = propertyName(callee) ?? '';
    if (mutatingMethods.has(name)) this.#touchesSession = true;
    else if (!pureMethods.has(name)) this.#note('write');
  }

  /** True if a chain of members and calls begins with a variable of an earlier cell. */
  #isSessionValue(node: AnyNode): boolean {
    let root: AnyNode = node;
    for (;;) {
      if (root.type === 'MemberExpression') root = root.object as AnyNode;
      else if (root.type === 'CallExpression') root = root.callee as AnyNode;
      else if (root.type === 'ChainExpression') root = root.expression;
      else break;
    }
    if (root.type !== 'Identifier') return false;
    const { name } = root;
    const isKnown =
      this.#declared.has(name) ||
      harmlessGlobals.has(name) ||
      this.#fsNames.has(name) ||
      (name === 'git' && this.#hasGit);
    return !isKnown && name !== 'require' && this.#isOuter(root);
  }

  #isOuter(node: AnyNode): boolean {
    this.#outer ??= new Set(outerReferences(this.#program).map((use) => use.node));
    return this.#outer.has(node);
  }

  #outer: Set<AnyNode> | undefined;
}

function withoutExport(node: Program['body'][number]): AnyNode {
  const hasDeclaration =
    node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration';
  return hasDeclaration && node.declaration ? node.declaration : node;
}

function literalText(node: AnyNode): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** Returns a member's literal name, or undefined if it is computed. */
function propertyName(node: MemberExpression): string | undefined {
  if (node.computed) return literalText(node.property);
  return node.property.type === 'Identifier' ? node.property.name : undefined;
}

function isAssigned(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'AssignmentExpression') return parent.left === node;
  if (parent?.type === 'UpdateExpression') return true;
  return parent?.type === 'UnaryExpression' && parent.operator === 'delete';
}

/** True if the identifier is a value here, and not a key or a binding. */
function isValueUse(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed;
  if (parent?.type === 'Property') return parent.value === node;
  if (parent?.type === 'VariableDeclarator') return parent.init === node;
  return parent?.type !== 'LabeledStatement';
}

function bindsThis(node: AnyNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ClassBody'
  );
}
