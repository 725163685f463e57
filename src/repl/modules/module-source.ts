// Compiles a file of the workspace to a function that the guest's module loader can run. The file
// may be an ES module, CommonJS, TypeScript or JSX. Imports of ES modules become live references,
// and exports become getters. Line numbers don't change.
import type { AnyNode, Program } from 'acorn';
import { extname } from '../../core/path.ts';
import { applyEdits, type Edit } from '../syntax/edits.ts';
import { contextEdits } from '../syntax/async-context.ts';
import type { ProjectOptions } from '../syntax/project-options.ts';
import { parseClasses, type CompiledCode } from '../syntax/compile-classes.ts';
import { exportedStart, importEdits, specifierName } from '../syntax/imports.ts';
import { hoistMocks } from './hoisted-mocks.ts';
import {
  CodeSyntaxError,
  isFunctionNode,
  lineOf,
  isStackOverflow,
  nestedTooDeeply,
  parseCode,
  walk,
} from '../syntax/parse.ts';
import { locationEdits } from '../syntax/location-reads.ts';
import { lexicalNames, outerReferences, varNames } from '../syntax/scope.ts';
import { setExpressionEdits } from '../syntax/set-expressions.ts';
import type { StripTypes } from '../syntax/typescript.ts';
import { runtimeName } from '../syntax/runtime-name.ts';

/** The names of CommonJS that an ES module may read, too, and what they are there. */
const commonjsNames = new Map([
  ['require', `${runtimeName}.require`],
  ['__dirname', `${runtimeName}.meta.dirname`],
  ['__filename', `${runtimeName}.meta.filename`],
]);

const testRunners = new Set(['vitest', '@jest/globals', 'bun:test']);

const typescriptFile = /\.[cm]?tsx?$/u;

// Files other than code that bundlers let a module import. The sandbox has no page to show them in,
// so they get placeholder values.
const styleFile = /\.(?:css|s[ac]ss|less)$/iu;
const assetFile =
  /\.(?:avif|gif|ico|jpe?g|mp3|mp4|ogg|otf|pdf|png|svg|ttf|wav|webm|webp|woff2?)$/iu;

/**
 * Returns the source of an array expression for the guest's loader: `[kind, imports,
 * areNamesChecked, function]`. The kind is `esm`, `async` (an ES module with top-level `await`) or
 * `cjs`. An ES module's array also has its re-exports by name and the modules of its `export *`.
 *
 * @throws CodeSyntaxError
 */
function toModuleSource(path: string, text: string, compiler: ModuleCompiler): string {
  try {
    return rewriteModule(path, text, compiler);
  } catch (error) {
    throw isStackOverflow(error) ? nestedTooDeeply(text) : error;
  }
}

function rewriteModule(path: string, text: string, compiler: ModuleCompiler): string {
  if (styleFile.test(path)) return valueSource('{}');
  if (assetFile.test(path)) return valueSource(JSON.stringify(path));
  // The engine accepts a hashbang only at the beginning of a script, not inside a function.
  const given = stripFile(path, text.replace(/^#!/u, '//'), compiler);
  let { code } = given;
  let program: Program;
  try {
    ({ code, program } = parseClasses(given, compiler.projectOptions));
  } catch (error) {
    // Code that only parses in sloppy mode (`with`, octals, `await` as a name) must be CommonJS.
    // Otherwise the first error is reported.
    if (!(error instanceof CodeSyntaxError) || /\.m[jt]s$/u.test(path)) throw error;
    try {
      return commonjsSource(code, parseCode(code, 'script'), compiler);
    } catch {
      throw error;
    }
  }
  const isEsm = program.body.some(isModuleDeclaration) || usesModuleSyntax(program, code);
  if (!isEsm) return commonjsSource(code, program, compiler);
  return new ModuleRewriter(code, program, typescriptFile.test(path), compiler).rewrite();
}

// 32 M characters: twice the source of a large project. The cache is emptied when it grows beyond
// that.
const maxCachedChars = 32 * 1024 * 1024;

/** What compiling a module needs. */
export interface ModuleCompiler {
  readonly stripTypes: StripTypes;
  /**
   * Returns the settings of the module's project. Called only if the module has JSX, or classes
   * that depend on them.
   */
  readonly projectOptions: () => ProjectOptions;
  /** Where the module finds `location`, if not in its realm: see {@link locationEdits}. */
  readonly locationOf?: string;
}

interface KnownSource {
  readonly text: string;
  readonly source: string;
  /** The settings with which the source was compiled, or undefined if they weren't needed. */
  readonly options: ProjectOptions | undefined;
}

function isSame(one: ProjectOptions, other: ProjectOptions): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Caches compiled modules by path, because a test run loads the same modules for each test file. A
 * file is compiled again when its text has changed.
 */
export class ModuleSources {
  readonly #known = new Map<string, KnownSource>();
  #chars = 0;

  /** Returns the same as {@link toModuleSource}. */
  get(path: string, text: string, compiler: ModuleCompiler): string {
    const known = this.#known.get(path);
    const isFresh = (options: ProjectOptions) => isSame(options, compiler.projectOptions());
    if (known?.text === text && (!known.options || isFresh(known.options))) return known.source;
    let options: ProjectOptions | undefined;
    const projectOptions = () => (options ??= compiler.projectOptions());
    const source = toModuleSource(path, text, { ...compiler, projectOptions });
    this.#chars += text.length + source.length;
    if (this.#chars > maxCachedChars) {
      this.#known.clear();
      this.#chars = text.length + source.length;
    }
    this.#known.set(path, { text, source, options });
    return source;
  }
}

function stripFile(
  path: string,
  code: string,
  { stripTypes, projectOptions }: ModuleCompiler,
): CompiledCode {
  const isJsx = /\.[jt]sx$/u.test(path);
  if (!isJsx && !typescriptFile.test(path)) return { code };
  return stripTypes(code, {
    jsx: isJsx ? () => projectOptions().jsx : undefined,
    keepUnusedImports: extname(path) === '.jsx',
  });
}

function isModuleDeclaration(node: AnyNode): boolean {
  return node.type.startsWith('Import') || node.type.startsWith('Export');
}

/** `import.meta`, or an `await` outside functions. */
function usesModuleSyntax(program: Program, code: string): boolean {
  let found = hasTopLevelAwait(program, code);
  if (found || !code.includes('import')) return found;
  walk(program, (node) => {
    if (node.type === 'MetaProperty' && node.meta.name === 'import') found = true;
    return !found;
  });
  return found;
}

function hasTopLevelAwait(program: Program, code: string): boolean {
  let found = false;
  if (!code.includes('await')) return found;
  walk(program, (node) => {
    if (isFunctionNode(node)) return false;
    if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) {
      found = true;
    }
    return !found;
  });
  return found;
}

function commonjsSource(
  code: string,
  program: Program,
  { locationOf }: Pick<ModuleCompiler, 'locationOf'>,
): string {
  const hoisted = hoistMocks(program, code, runtimeName);
  const context = contextEdits(program, code, runtimeName);
  const expressions = setExpressionEdits(program, code, runtimeName);
  const locations = locationOf === undefined ? [] : locationEdits(program, code, locationOf);
  const edits = [
    ...importEdits(program, runtimeName),
    ...expressions,
    ...context.edits,
    ...locations,
  ];
  const body = applyEdits(code, withoutOverlap(edits, hoisted.edits));
  return `["cjs",[],false,function(exports,require,module,__filename,__dirname,${runtimeName}){${hoisted.calls}${body}\n}]`;
}

/** Merges two lists of edits. An edit of `edits` that begins inside one of `first` is dropped. */
function withoutOverlap(edits: readonly Edit[], first: readonly Edit[]): Edit[] {
  const isFree = ({ start }: Edit) =>
    !first.some((edit) => start >= edit.start && start < edit.end);
  return [...first, ...edits.filter(isFree)];
}

/** A CommonJS module that exports a constant value. */
function valueSource(value: string): string {
  return `["cjs",[],false,function(exports,require,module){module.exports=${value}}]`;
}

/** One imported module and the names that are imported from it. `*` is its whole namespace. */
interface Dependency {
  readonly specifier: string;
  readonly line: number;
  readonly names: Set<string>;
}

class ModuleRewriter {
  readonly #code: string;
  readonly #program: Program;
  readonly #isTypescript: boolean;
  readonly #locationOf: string | undefined;
  readonly #edits: Edit[] = [];
  readonly #dependencies: Dependency[] = [];
  /**
   * Local name of an import → the index of its dependency, and the name that the dependency
   * exports.
   */
  readonly #imported = new Map<string, readonly [index: number, name: string]>();
  /** Exported name → the expression that reads it. */
  readonly #exported = new Map<string, string>();
  /** Exported name → the index of its dependency, and the name that the dependency exports. */
  readonly #reexported = new Map<string, readonly [index: number, name: string]>();
  readonly #stars: number[] = [];
  readonly #declared: ReadonlySet<string>;
  /** What the module reads of the names that CommonJS has, and doesn't declare. */
  readonly #ofCommonjs = new Set<string>();

  constructor(
    code: string,
    program: Program,
    isTypescript: boolean,
    { locationOf }: Pick<ModuleCompiler, 'locationOf'>,
  ) {
    this.#locationOf = locationOf;
    this.#code = code;
    this.#program = program;
    this.#isTypescript = isTypescript;
    const statements = program.body.map(
      (node) => ('declaration' in node && node.declaration) || node,
    );
    this.#declared = new Set([...lexicalNames(statements), ...varNames(statements)]);
  }

  rewrite(): string {
    for (const node of this.#program.body) this.#import(node);
    for (const node of this.#program.body) this.#export(node);
    const hoisted = hoistMocks(this.#program, this.#code, runtimeName);
    const context = contextEdits(this.#program, this.#code, runtimeName);
    const expressions = setExpressionEdits(this.#program, this.#code, runtimeName);
    const within = [...importEdits(this.#program, runtimeName), ...expressions];
    const locations =
      this.#locationOf === undefined
        ? []
        : locationEdits(this.#program, this.#code, this.#locationOf);
    const references = [...within, ...locations, ...this.#referenceEdits()];
    this.#edits.push(...withoutOverlap([...references, ...context.edits], hoisted.edits));
    const getters = [...this.#exported].map(
      ([name, expression]) => `${JSON.stringify(name)}:()=>${expression}`,
    );
    // The module is a generator. It yields once its functions and exports exist, so that all
    // modules of a cycle get that far before any of them runs.
    const imports = hoisted.calls === '' ? '' : this.#importsAfter(hoisted.calls);
    // TypeScript and test runners give a module these names: `require` finds files from the module's own.
    // A module that asks whether there is one gets the answer of the world.
    const given = [...this.#ofCommonjs]
      .filter((name) => !new RegExp(`\\btypeof\\s+${name}\\b`, 'u').test(this.#code))
      .map((name) => `const ${name}=${commonjsNames.get(name)};`);
    const prologue = `'use strict';${given.join('')}${runtimeName}.export({${getters.join(',')}});yield;${context.declaration}${imports}`;
    const isAsync = imports !== '' || hasTopLevelAwait(this.#program, this.#code);
    const dependencies =
      imports === ''
        ? this.#dependencies.map(({ specifier, line, names }) => [specifier, line, [...names]])
        : [];
    const head = JSON.stringify([isAsync ? 'async' : 'esm', dependencies, !this.#isTypescript]);
    const tail = JSON.stringify([Object.fromEntries(this.#reexported), this.#stars]);
    const keyword = isAsync ? 'async function*' : 'function*';
    const body = applyEdits(this.#code, this.#edits);
    return `${head.slice(0, -1)},${keyword}(${runtimeName}){${prologue}${body}\n},${tail.slice(1)}`;
  }

  /**
   * Code that imports the module's dependencies after the hoisted calls. The test runner itself is
   * imported first, because the calls need it.
   */
  #importsAfter(calls: string): string {
    const imports = this.#dependencies.map(({ specifier }, index) => ({
      isRunner: testRunners.has(specifier),
      text: `${runtimeName}.of[${index}]=await ${runtimeName}.import(${JSON.stringify(specifier)});`,
    }));
    const texts = (isRunner: boolean) =>
      imports.filter((one) => one.isRunner === isRunner).map(({ text }) => text);
    return [...texts(true), calls, ...texts(false)].join('');
  }

  #import(node: AnyNode): void {
    if (node.type !== 'ImportDeclaration') return;
    const index = this.#dependency(node.source, lineOf(node));
    for (const specifier of node.specifiers) {
      const name =
        specifier.type === 'ImportDefaultSpecifier'
          ? 'default'
          : specifier.type === 'ImportNamespaceSpecifier'
            ? '*'
            : specifierName(specifier.imported);
      this.#imported.set(specifier.local.name, this.#use(index, name));
    }
    this.#remove(node);
  }

  #export(node: AnyNode): void {
    if (node.type === 'ExportAllDeclaration') {
      const index = this.#dependency(node.source, lineOf(node));
      if (!node.exported) this.#stars.push(this.#use(index, '*')[0]);
      else this.#reexported.set(specifierName(node.exported), this.#use(index, '*'));
      this.#remove(node);
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration) {
      const declared = [node.declaration];
      for (const name of [...lexicalNames(declared), ...varNames(declared)]) {
        this.#exported.set(name, name);
      }
      this.#replace(node.start, node.declaration.start, '');
    } else if (node.type === 'ExportNamedDeclaration') {
      const index = node.source ? this.#dependency(node.source, lineOf(node)) : undefined;
      for (const specifier of node.specifiers) {
        const local = specifierName(specifier.local);
        const exported = specifierName(specifier.exported);
        const taken = index === undefined ? this.#imported.get(local) : this.#use(index, local);
        if (taken) this.#reexported.set(exported, taken);
        // Only a type of TypeScript may be exported without a declaration.
        else if (this.#declared.has(local)) this.#exported.set(exported, local);
      }
      this.#remove(node);
    } else if (node.type === 'ExportDefaultDeclaration')
      this.#exportDefault(node.declaration, node);
  }

  #exportDefault(declaration: AnyNode, node: AnyNode): void {
    const isDeclaration =
      declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration';
    if (isDeclaration && declaration.id) {
      this.#exported.set('default', declaration.id.name);
      this.#replace(node.start, declaration.start, '');
      return;
    }
    const local = `${runtimeName}Default`;
    this.#exported.set('default', local);
    if (declaration.type === 'FunctionDeclaration') {
      // Stays a function declaration, so that it can be called before its line.
      const head = /^(?:async\s+)?function\s*\*?/u.exec(this.#code.slice(declaration.start))?.[0];
      const nameAt = declaration.start + (head ?? '').length;
      this.#replace(node.start, declaration.start, '');
      this.#replace(nameAt, nameAt, ` ${local}`);
    } else this.#replace(node.start, exportedStart(node, this.#code), `const ${local}=`);
  }

  #referenceEdits(): Edit[] {
    const callees = new Set<AnyNode>();
    walk(this.#program, (node) => {
      if (node.type === 'CallExpression') callees.add(node.callee as AnyNode);
      if (node.type === 'TaggedTemplateExpression') callees.add(node.tag);
    });
    return outerReferences(this.#program).flatMap(({ name, node, isShorthand }) => {
      const taken = this.#imported.get(name);
      const isDeclared = this.#declared.has(name);
      if (commonjsNames.has(name) && taken === undefined && !isDeclared) this.#ofCommonjs.add(name);
      if (taken === undefined || isDeclared) return [];
      const expression = readOf(taken);
      // As a member call, the function would get the module as its `this`. `bare` returns the
      // function alone.
      const read = callees.has(node) ? `${runtimeName}.bare(${expression})` : expression;
      return [{ start: node.start, end: node.end, text: isShorthand ? `${name}:${read}` : read }];
    });
  }

  #dependency(source: { readonly value?: unknown }, line: number): number {
    const specifier = String(source.value);
    const index = this.#dependencies.findIndex((known) => known.specifier === specifier);
    if (index >= 0) return index;
    return this.#dependencies.push({ specifier, line, names: new Set() }) - 1;
  }

  /** Records that the dependency must export the name, or that its namespace is used. */
  #use(index: number, name: string): readonly [index: number, name: string] {
    this.#dependencies[index]?.names.add(name);
    return [index, name];
  }

  /** Removes a node but keeps its line ends. The `;` separates the statements around it. */
  #remove(node: AnyNode): void {
    const text = this.#code.slice(node.start, node.end);
    this.#replace(node.start, node.end, `;${text.replace(/[^\n\r\u2028\u2029]+/gu, '')}`);
  }

  #replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }
}

function readOf([index, name]: readonly [index: number, name: string]): string {
  const namespace = `${runtimeName}.of[${index}]`;
  return name === '*' ? namespace : `${namespace}[${JSON.stringify(name)}]`;
}
