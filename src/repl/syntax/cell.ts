// Rewrites a cell's source so that its top-level variables belong to the session. Declarations
// become properties of the global object, and imports become calls of the loader. The value of the
// last expression becomes the cell's value. Line numbers don't change, so the guest's own stack
// traces are right.
import type { AnyNode, Program, Statement, VariableDeclaration, VariableDeclarator } from 'acorn';
import { contextEdits } from './async-context.ts';
import { completionEdits, valueStart } from './completion.ts';
import { applyEdits, blank, blankExcept, contains, type Edit, type Range } from './edits.ts';
import {
  CodeSyntaxError,
  isAnonymousFunction,
  isFunctionNode,
  lineOf,
  isStackOverflow,
  nestedTooDeeply,
  parseCode,
  walk,
} from './parse.ts';
import { defaultProjectOptions, type ProjectOptions } from './project-options.ts';
import { parseClasses } from './compile-classes.ts';
import { exportedStart, importEdits, specifierName } from './imports.ts';
import { setExpressionEdits } from './set-expressions.ts';
import { explainShellCommand } from './shell-command.ts';
import { runtimeName } from './runtime-name.ts';
import { lexicalNames, outerReferences, patternNames, varNames } from './scope.ts';
import { enumNames, hasTypeArguments, type StripTypes } from './typescript.ts';

/**
 * The names that a cell's top level adds to the session or changes. They are prepared before its
 * code runs.
 */
export interface CellNames {
  /**
   * Variables with a temporal dead zone, as with `let`: the cell may use the name before its line.
   */
  readonly lexical: readonly string[];
  /**
   * Same as `lexical`, but the cell doesn't use the name before its line. Only functions of an
   * earlier cell could. A module that the cell loads may look up any global: lodash reads `_`, and
   * many read `document`.
   */
  readonly unnamed: readonly string[];
  /**
   * Same as `unnamed`, but the code may read the global of that name before the line, and must
   * still find it. Examples are `const a = globalThis.a` and `const a = require('a')`, but not
   * `const a = globalThis.a ?? a`. Imports are of this kind.
   */
  readonly unbarred: readonly string[];
  /** `var` names. An existing variable keeps its value. */
  readonly vars: readonly string[];
  /**
   * Names that start without a value. Functions get it before the first line, enums at their own
   * line.
   */
  readonly functions: readonly string[];
  /** Names that are assigned without a declaration. A missing variable is created. */
  readonly assigned: readonly string[];
}

/**
 * One import declaration. `names` maps local names to exported ones; `*` is the whole namespace.
 */
type CellImport = readonly [
  specifier: string,
  line: number,
  names: Readonly<Record<string, string>>,
];

/**
 * A cell as two functions for the guest's cell runtime. The first creates the function
 * declarations, because they work before their line. The second runs everything else and returns
 * the value.
 */
export interface PreparedCell {
  readonly names: CellNames;
  /** Loaded before any other line runs, as the language demands. */
  readonly imports: readonly CellImport[];
  readonly functionsSource: string;
  readonly bodySource: string;
}

/** The variable of the rewritten code that holds the cell's value. */
const valueName = `${runtimeName}Value`;

/** 0: imports have their values before any other line runs. */
const importedAt = 0;

/**
 * Names through which code may look up globals: the global object, and `require`, whose modules may
 * do so.
 */
const globalReaders: ReadonlySet<string> = new Set(['globalThis', 'global', 'require']);

/**
 * Names that no session may declare: constants of the language, and names that the rewritten code
 * uses.
 */
const takenNames = new Set([
  ...['undefined', 'NaN', 'Infinity'],
  ...[runtimeName, valueName, `${runtimeName}Context`],
]);

/**
 * Parses and rewrites a cell. Types are stripped if the code doesn't parse as JavaScript.
 *
 * @throws CodeSyntaxError with the cell's line and column
 */
export async function prepareCell(
  code: string,
  loadStripTypes: () => Promise<StripTypes>,
  projectOptions: () => ProjectOptions = () => defaultProjectOptions,
): Promise<PreparedCell> {
  try {
    // A hashbang is a comment only at the beginning of a file, and the code is moved into a
    // function.
    const parsed = await parseCell(code.replace(/^#!/u, '//'), loadStripTypes, projectOptions);
    return new CellRewriter(parsed.code, parsed.program).rewrite();
  } catch (error) {
    // Walking the tree takes more stack than parsing the code.
    if (isStackOverflow(error)) throw nestedTooDeeply(code);
    const hint = explainShellCommand(code);
    if (hint === undefined || !(error instanceof CodeSyntaxError)) throw error;
    throw new CodeSyntaxError(hint, code, error.line, error.column);
  }
}

interface ParsedCell {
  readonly code: string;
  readonly program: Program;
}

async function parseCell(
  code: string,
  loadStripTypes: () => Promise<StripTypes>,
  projectOptions: () => ProjectOptions,
): Promise<ParsedCell> {
  try {
    const parsed = parseJavaScript(code);
    if (!hasTypeArguments(parsed.program, code)) return parsed;
  } catch (error) {
    if (!(error instanceof CodeSyntaxError)) throw error;
    return parseTypescript(code, await loadStripTypes(), { before: error, projectOptions });
  }
  return parseTypescript(code, await loadStripTypes(), { before: undefined, projectOptions });
}

/** `{ a: 1 }` alone is read as an object, as in every console. Other blocks stay blocks. */
function parseJavaScript(code: string): ParsedCell {
  if (/^\s*\{/u.test(code) && !/;\s*$/u.test(code)) {
    const wrapped = `(${code}\n)`;
    try {
      return { code: wrapped, program: parseCode(wrapped) };
    } catch {
      // It isn't an object. It is parsed below as it stands, with any error of that.
    }
  }
  return { code, program: parseCode(code) };
}

/** If the code isn't TypeScript either, the error of the parser that got furthest is reported. */
function parseTypescript(
  code: string,
  stripTypes: StripTypes,
  {
    before,
    projectOptions,
  }: {
    /** The error of the JavaScript parser. */
    readonly before: CodeSyntaxError | undefined;
    readonly projectOptions: () => ProjectOptions;
  },
): ParsedCell {
  let best = before?.isOfDecorator ? undefined : before;
  for (const jsx of [undefined, () => projectOptions().jsx]) {
    try {
      const stripped = stripTypes(code, { jsx, keepUnusedImports: true });
      const isObject = /^\s*\{/u.test(stripped.code);
      return isObject ? parseJavaScript(stripped.code) : parseClasses(stripped, projectOptions);
    } catch (error) {
      if (!(error instanceof CodeSyntaxError)) throw error;
      if (!best || error.isBehind(best)) best = error;
    }
  }
  throw best;
}

class CellRewriter {
  readonly #code: string;
  readonly #program: Program;
  /**
   * The edits of the body. `#functionEdits` are those within function declarations, which work
   * before their line.
   */
  readonly #edits: Edit[] = [];
  readonly #functionEdits: Edit[] = [];
  readonly #functions: Range[] = [];
  /** Imports and `export { … }`, which are removed from the body. */
  readonly #moved: Range[] = [];
  readonly #functionNames: string[] = [];
  /** Lexical name → the offset at which its declaration ends. */
  readonly #lexical = new Map<string, number>();
  #usingCount = 0;
  readonly #imports: CellImport[] = [];

  constructor(code: string, program: Program) {
    this.#code = code;
    this.#program = program;
  }

  rewrite(): PreparedCell {
    const { body } = this.#program;
    const from = valueStart(body);
    body.forEach((statement, index) => {
      this.#refuseTakenNames(statement);
      this.#topLevel(statement, index >= from);
    });
    const context = contextEdits(this.#program, this.#code, runtimeName);
    const place = (edit: Edit) =>
      this.#functions.some((range) => contains(range, edit)) ? this.#functionEdits : this.#edits;
    const imports = importEdits(this.#program, runtimeName);
    const expressions = setExpressionEdits(this.#program, this.#code, runtimeName);
    for (const edit of [...imports, ...expressions, ...context.edits]) place(edit).push(edit);
    const enums = new Set(enumNames(this.#program));
    const vars = varNames(body).filter((name) => !enums.has(name));
    const declared = new Set([...vars, ...this.#lexical.keys(), ...this.#functionNames, ...enums]);
    const references = outerReferences(this.#program);
    const named = new Set<string>();
    let globalObjectAt = Math.min(Infinity, ...imports.map(({ start }) => start));
    const isHoisted = (node: Range) => this.#functions.some((range) => contains(range, node));
    // From this offset on, a function may have run that uses a variable before the variable's line.
    const hoistedAt = references.find(
      ({ name, node }) => this.#functionNames.includes(name) && !isHoisted(node),
    )?.node.start;
    for (const { name, node } of references) {
      const start = isHoisted(node) ? (hoistedAt ?? Infinity) : node.start;
      if (start < (this.#lexical.get(name) ?? 0)) named.add(name);
      if (globalReaders.has(name)) globalObjectAt = Math.min(globalObjectAt, node.start);
    }
    const lexical = [...this.#lexical.keys()];
    const kindOf = (name: string) => {
      const end = this.#lexical.get(name) ?? 0;
      if (end === importedAt) return 'unbarred';
      if (named.has(name)) return 'lexical';
      return globalObjectAt < end ? 'unbarred' : 'unnamed';
    };
    const ofKind = (kind: string) => lexical.filter((name) => kindOf(name) === kind);
    const assigned = references
      .filter((use) => use.isWrite && !use.isUpdate && !use.isInFunction)
      .map((use) => use.name)
      .filter((name) => !declared.has(name));
    return {
      names: {
        lexical: ofKind('lexical'),
        unnamed: ofKind('unnamed'),
        unbarred: ofKind('unbarred'),
        vars: unique(vars),
        functions: unique([...this.#functionNames, ...enums]),
        assigned: unique(assigned),
      },
      imports: this.#imports,
      functionsSource: `(${runtimeName}=>{'use strict';${this.#functionsText()}\n})`,
      // The body is an arrow function, because the cell must not see an `arguments` object.
      bodySource:
        `(async ${runtimeName}=>{'use strict';let ${valueName};${context.declaration}${this.#bodyText()}\n` +
        `return ${valueName}})`,
    };
  }

  #functionsText(): string {
    return applyEdits(blankExcept(this.#code, this.#functions), this.#functionEdits);
  }

  #bodyText(): string {
    const moved = [...this.#functions, ...this.#moved];
    // A removed part leaves a `;`, because `f()⏎function g() {}⏎(h)()` is three statements.
    const separators = moved.map(({ start }) => ({ start, end: start + 1, text: ';' }));
    return applyEdits(blank(this.#code, moved), [...this.#edits, ...separators]);
  }

  #topLevel(node: Program['body'][number], givesValue: boolean): void {
    switch (node.type) {
      case 'ImportDeclaration': {
        const names: Record<string, string> = {};
        for (const specifier of node.specifiers) {
          const { name } = specifier.local;
          this.#lexical.set(name, importedAt);
          if (specifier.type === 'ImportDefaultSpecifier') names[name] = 'default';
          else if (specifier.type === 'ImportNamespaceSpecifier') names[name] = '*';
          else names[name] = specifierName(specifier.imported);
        }
        this.#imports.push([String(node.source.value), lineOf(node), names]);
        this.#moved.push(node);
        return;
      }
      case 'ExportNamedDeclaration':
        if (node.source) throw this.#errorAt(node, reExportMessage);
        if (!node.declaration) this.#moved.push(node);
        else {
          this.#replace(node.start, node.declaration.start, '');
          this.#topLevel(node.declaration, givesValue);
        }
        return;
      case 'ExportAllDeclaration':
        throw this.#errorAt(node, reExportMessage);
      case 'ExportDefaultDeclaration': {
        const { declaration } = node;
        if (declaration.type === 'FunctionDeclaration' && declaration.id) {
          this.#replace(node.start, declaration.start, '');
          this.#functionDeclaration(declaration, declaration.id.name);
        } else if (declaration.type === 'ClassDeclaration' && declaration.id) {
          this.#replace(node.start, declaration.start, '');
          this.#classDeclaration(declaration, declaration.id.name);
        } else {
          const hasEnd = this.#code.charAt(node.end - 1) === ';';
          const end = hasEnd && declaration.end < node.end ? node.end - 1 : node.end;
          const start = exportedStart(node, this.#code);
          this.#replace(node.start, start, `${givesValue ? `${valueName}=` : ''}(0,`);
          this.#replace(end, end, ')');
        }
        return;
      }
      case 'FunctionDeclaration':
        this.#functionDeclaration(node, node.id.name);
        return;
      case 'ClassDeclaration':
        this.#classDeclaration(node, node.id.name);
        return;
      case 'VariableDeclaration':
        if (node.kind === 'var') this.#statement(node, givesValue);
        else this.#lexicalDeclaration(node);
        return;
      default:
        this.#statement(node, givesValue);
    }
  }

  /**
   * `function f() {}` → `f=function() {}`. The function gets its name from the assignment, and has
   * no inner binding of it.
   */
  #functionDeclaration(
    node: AnyNode & { id?: { start: number; end: number } | null },
    name: string,
  ): void {
    this.#functions.push(node);
    this.#functionNames.push(name);
    const { id } = node;
    this.#functionEdits.push({ start: node.start, end: node.start, text: `${name}=` });
    if (id) this.#functionEdits.push({ start: id.start, end: id.end, text: '' });
    this.#functionEdits.push({ start: node.end, end: node.end, text: ';' });
  }

  /** `class A {}` → `define("A",class A {},false);` */
  #classDeclaration(node: AnyNode, name: string): void {
    this.#lexical.set(name, node.end);
    this.#replace(node.start, node.start, `${runtimeName}.define(${JSON.stringify(name)},`);
    this.#replace(node.end, node.end, ',false);');
  }

  /**
   * `const a = 1, {b} = c;` → `define("a", 1, true),{b} = declare(c,"b"),seal("b");`. A value is
   * computed before its name becomes readable, so `let x = x` is an error.
   */
  #lexicalDeclaration(node: VariableDeclaration): void {
    const isUsing = node.kind === 'using' || node.kind === 'await using';
    const isConst = isUsing || node.kind === 'const';
    const [first] = node.declarations;
    if (!first) return;
    // A `using` value is held by a local variable of the cell, which disposes of it when the cell
    // ends. For a pattern, `void 0,` comes first: a bracket at the beginning could continue the
    // line before.
    const keyword = isUsing ? `${node.kind} ` : first.id.type === 'Identifier' ? '' : 'void 0,';
    this.#replace(node.start, first.start, keyword);
    for (const declarator of node.declarations) {
      if (isUsing) {
        this.#usingCount += 1;
        this.#replace(declarator.start, declarator.start, `${runtimeName}${this.#usingCount}=`);
      }
      this.#declarator(declarator, isConst);
    }
    this.#replace(node.end, node.end, ';');
  }

  #declarator({ id, init, start, end }: VariableDeclarator, isConst: boolean): void {
    const names = patternNames(id);
    for (const name of names) this.#lexical.set(name, end);
    const quoted = names.map((name) => JSON.stringify(name)).join(',');
    const initStart = init ? this.#afterEquals(id.end) : end;
    if (id.type !== 'Identifier') {
      this.#replace(initStart, initStart, `${runtimeName}.declare(`);
      this.#replace(end, end, `,${quoted})`);
      if (isConst) this.#replace(end, end, `,${runtimeName}.seal(${quoted})`);
    } else if (init && isAnonymousFunction(init)) {
      // An anonymous function takes the name of the property whose value it is.
      this.#replace(start, initStart, `${runtimeName}.define(${quoted},{${quoted}:`);
      this.#replace(end, end, `}[${quoted}],${isConst})`);
    } else {
      this.#replace(start, initStart, `${runtimeName}.define(${quoted},`);
      this.#replace(end, end, `${init ? '' : 'void 0'},${isConst})`);
    }
  }

  /** Returns the offset right behind the `=`. A comment may stand before it. */
  #afterEquals(from: number): number {
    const equals = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*=/uy;
    equals.lastIndex = from;
    equals.test(this.#code);
    return equals.lastIndex;
  }

  /**
   * Rewrites a statement that isn't a top-level declaration. Only its `var`s and its value matter.
   */
  #statement(node: Statement, givesValue: boolean): void {
    this.#rewriteVars(node);
    if (givesValue) this.#edits.push(...completionEdits(this.#code, node, valueName));
  }

  /**
   * Removes the keyword of each `var` outside of functions, because it declares a variable of the
   * session.
   */
  #rewriteVars(root: AnyNode): void {
    const heads = new Set<AnyNode>();
    walk(root, (node) => {
      if (isFunctionNode(node) || node.type === 'StaticBlock') return false;
      if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') heads.add(node.left);
      if (node.type === 'ForStatement' && node.init) heads.add(node.init);
      if (node.type !== 'VariableDeclaration' || node.kind !== 'var') return true;
      const [first] = node.declarations;
      if (!first) return true;
      if (heads.has(node)) this.#replace(node.start, first.start, '');
      else {
        // For a pattern, `void 0,` comes first: a bracket at the beginning could continue the line
        // before.
        const isPattern = first.id.type !== 'Identifier';
        this.#replace(node.start, first.start, isPattern ? 'void 0,' : '');
        if (!this.#code.startsWith(';', node.end - 1)) this.#replace(node.end, node.end, ';');
      }
      return true;
    });
  }

  /** @throws CodeSyntaxError */
  #refuseTakenNames(statement: AnyNode): void {
    const imported =
      statement.type === 'ImportDeclaration'
        ? statement.specifiers.map((specifier) => specifier.local.name)
        : [];
    const declared = [...imported, ...lexicalNames([statement]), ...varNames([statement])];
    const taken = declared.find((name) => takenNames.has(name));
    if (taken === undefined) return;
    throw this.#errorAt(statement, `Identifier '${taken}' has already been declared`);
  }

  #errorAt(node: AnyNode, message: string): CodeSyntaxError {
    const column = (node.loc?.start.column ?? 0) + 1;
    return new CodeSyntaxError(message, this.#code, lineOf(node), column);
  }

  #replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }
}

const reExportMessage = "A cell can't re-export from a module; import the names instead.";

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
