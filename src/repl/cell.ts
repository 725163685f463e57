// One cell's source, rewritten so that its top level lives in the session: declarations become
// properties of the global object, imports calls of the loader, the last expression the value.
// Every line keeps its number, so the guest's own stack traces are right.
import type { AnyNode, Program, Statement, VariableDeclaration } from 'acorn';
import { applyEdits, blank, blankExcept, contains, type Edit, type Range } from './syntax/edits.ts';
import { CodeSyntaxError, isFunctionNode, lineOf, parseCode, walk } from './syntax/parse.ts';
import { importEdits, specifierName } from './syntax/imports.ts';
import { outerReferences, patternNames, varNames } from './syntax/scope.ts';
import { hasTypeArguments, type StripTypes } from './syntax/typescript.ts';

/** What the cell's top level does to the session's variables, before its code runs. */
export interface CellNames {
  /** Not there until their line is reached, as `let` would have it. */
  readonly lexical: readonly string[];
  /** Keep the value that they have. */
  readonly vars: readonly string[];
  readonly functions: readonly string[];
  /** Assigned without a declaration: made, if there is no such variable. */
  readonly assigned: readonly string[];
}

/**
 * A cell as two functions of the guest's cell runtime: the first makes the function declarations
 * (which work before their line), the second runs everything else and returns the value.
 */
export interface PreparedCell {
  readonly names: CellNames;
  readonly functionsSource: string;
  readonly bodySource: string;
}

/** The parameter through which rewritten code reaches the cell runtime or its module's record. */
export const runtimeName = '__rockpool';

/**
 * Parses and rewrites a cell. TypeScript is stripped where the code isn't JavaScript.
 *
 * @throws CodeSyntaxError with the cell's line and column
 */
export async function prepareCell(
  code: string,
  loadStripTypes: () => Promise<StripTypes>,
): Promise<PreparedCell> {
  const parsed = await parseCell(code, loadStripTypes);
  return new CellRewriter(parsed.code, parsed.program).rewrite();
}

interface ParsedCell {
  readonly code: string;
  readonly program: Program;
}

async function parseCell(
  code: string,
  loadStripTypes: () => Promise<StripTypes>,
): Promise<ParsedCell> {
  try {
    const parsed = parseJavaScript(code);
    if (!hasTypeArguments(parsed.program, code)) return parsed;
  } catch (error) {
    if (!(error instanceof CodeSyntaxError)) throw error;
    return parseTypescript(code, await loadStripTypes(), error);
  }
  return parseTypescript(code, await loadStripTypes(), undefined);
}

/** `{ a: 1 }` alone is meant as an object, as in every console; a block that isn't one stays a block. */
function parseJavaScript(code: string): ParsedCell {
  if (/^\s*\{/u.test(code) && !/;\s*$/u.test(code)) {
    const wrapped = `(${code}\n)`;
    try {
      return { code: wrapped, program: parseCode(wrapped) };
    } catch {
      // Not an object: parsed as what it is, with that error if there is one.
    }
  }
  return { code, program: parseCode(code) };
}

/** If it is no TypeScript either, the JavaScript parser's complaint is the better one. */
function parseTypescript(
  code: string,
  stripTypes: StripTypes,
  javascriptError: CodeSyntaxError | undefined,
): ParsedCell {
  let firstError = javascriptError;
  for (const jsx of [false, true]) {
    try {
      return parseJavaScript(stripTypes(code, { jsx, keepUnusedImports: true }));
    } catch (error) {
      if (!(error instanceof CodeSyntaxError)) throw error;
      firstError ??= error;
    }
  }
  throw firstError ?? new CodeSyntaxError('This is no JavaScript.', 1, 1);
}

class CellRewriter {
  readonly #code: string;
  readonly #program: Program;
  readonly #edits: Edit[] = [];
  /** Function declarations, and imports: elsewhere than where they stand. */
  readonly #functions: Range[] = [];
  readonly #moved: Range[] = [];
  readonly #functionNames: string[] = [];
  readonly #lexical: string[] = [];
  readonly #imports: (readonly [specifier: string, line: number, names: object])[] = [];

  constructor(code: string, program: Program) {
    this.#code = code;
    this.#program = program;
  }

  rewrite(): PreparedCell {
    const { body } = this.#program;
    body.forEach((statement, index) => this.#topLevel(statement, index === body.length - 1));
    this.#edits.push(...importEdits(this.#program, runtimeName));
    const vars = varNames(body);
    const declared = new Set([...vars, ...this.#lexical, ...this.#functionNames]);
    const assigned = outerReferences(this.#program)
      .filter((use) => use.isWrite && !use.isInFunction && !declared.has(use.name))
      .map((use) => use.name);
    const imports =
      this.#imports.length > 0
        ? `await ${runtimeName}.imports(${JSON.stringify(this.#imports)});`
        : '';
    return {
      names: {
        lexical: unique(this.#lexical),
        vars: unique(vars),
        functions: unique(this.#functionNames),
        assigned: unique(assigned),
      },
      functionsSource: this.#wrap('function', '', this.#functionsText()),
      bodySource: this.#wrap('async function', imports, this.#bodyText()),
    };
  }

  #wrap(kind: string, prologue: string, text: string): string {
    return `(${kind}(${runtimeName}){'use strict';${prologue}${text}\n})`;
  }

  #functionsText(): string {
    const edits = this.#edits.filter((edit) =>
      this.#functions.some((range) => contains(range, edit)),
    );
    return applyEdits(blankExcept(this.#code, this.#functions), edits);
  }

  #bodyText(): string {
    const moved = [...this.#functions, ...this.#moved];
    const edits = this.#edits.filter((edit) => !moved.some((range) => contains(range, edit)));
    // What is moved out leaves its `;`: `f()⏎function g() {}⏎(h)()` are three statements.
    const separators = moved.map(({ start }) => ({ start, end: start + 1, text: ';' }));
    return applyEdits(blank(this.#code, moved), [...edits, ...separators]);
  }

  #topLevel(node: Program['body'][number], isLast: boolean): void {
    switch (node.type) {
      case 'ImportDeclaration': {
        const names: Record<string, string> = {};
        for (const specifier of node.specifiers) {
          const { name } = specifier.local;
          this.#lexical.push(name);
          if (specifier.type === 'ImportDefaultSpecifier') names[name] = 'default';
          else if (specifier.type === 'ImportNamespaceSpecifier') names[name] = '*';
          else names[name] = specifierName(specifier.imported);
        }
        this.#imports.push([String(node.source.value), lineOf(node), names]);
        this.#moved.push(node);
        return;
      }
      case 'ExportNamedDeclaration':
        if (node.source) throw exportError(node);
        if (!node.declaration) this.#moved.push(node);
        else {
          this.#replace(node.start, node.declaration.start, '');
          this.#topLevel(node.declaration, isLast);
        }
        return;
      case 'ExportAllDeclaration':
        throw exportError(node);
      case 'ExportDefaultDeclaration': {
        const { declaration } = node;
        if (declaration.type === 'FunctionDeclaration' && declaration.id) {
          this.#replace(node.start, declaration.start, '');
          this.#functionDeclaration(declaration, declaration.id.name);
        } else if (declaration.type === 'ClassDeclaration' && declaration.id) {
          this.#replace(node.start, declaration.start, '');
          this.#classDeclaration(declaration, declaration.id.name);
        } else {
          this.#replace(node.start, declaration.start, isLast ? 'return (' : 'void (');
          this.#replace(declaration.end, declaration.end, ')');
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
        if (node.kind === 'let' || node.kind === 'const') this.#lexicalDeclaration(node);
        else this.#statement(node, isLast);
        return;
      default:
        this.#statement(node, isLast);
    }
  }

  /** `function f() {}` → `f=function() {}`: named by the assignment, without a binding of its own inside. */
  #functionDeclaration(
    node: AnyNode & { id?: { start: number; end: number } | null },
    name: string,
  ): void {
    this.#functions.push(node);
    this.#functionNames.push(name);
    this.#replace(node.start, node.start, `${name}=`);
    if (node.id) this.#replace(node.id.start, node.id.end, '');
    this.#replace(node.end, node.end, ';');
  }

  #classDeclaration(node: AnyNode, name: string): void {
    this.#lexical.push(name);
    this.#replace(
      node.start,
      node.start,
      `${runtimeName}.declare(${JSON.stringify(name)});${name}=`,
    );
    this.#replace(node.end, node.end, ';');
  }

  /**
   * `const a = 1, {b} = c;` → `define("a", 1, true), declare("b"),{b} = c,seal("b");`. A value is
   * computed before its name exists, so `let x = x` finds no x.
   */
  #lexicalDeclaration(node: VariableDeclaration): void {
    const isConst = node.kind === 'const';
    this.#replace(node.start, node.declarations[0]?.start ?? node.start, '');
    for (const declarator of node.declarations) {
      const { id, init } = declarator;
      const names = patternNames(id);
      this.#lexical.push(...names);
      const quoted = names.map((name) => JSON.stringify(name)).join(',');
      // An anonymous function takes its name from a plain assignment only, and looks at no variable
      // when it is made.
      if (id.type === 'Identifier' && !(init && isAnonymousFunction(init))) {
        const valueStart = init ? this.#afterEquals(id.end) : declarator.end;
        this.#replace(declarator.start, valueStart, `${runtimeName}.define(${quoted},`);
        this.#replace(declarator.end, declarator.end, `${init ? '' : 'void 0'},${isConst})`);
      } else {
        this.#replace(declarator.start, declarator.start, `${runtimeName}.declare(${quoted}),`);
        if (isConst) {
          this.#replace(declarator.end, declarator.end, `,${runtimeName}.seal(${quoted})`);
        }
      }
    }
    this.#replace(node.end, node.end, ';');
  }

  /** Just behind the `=` that follows a name and perhaps a comment. */
  #afterEquals(from: number): number {
    const equals = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*=/uy;
    equals.lastIndex = from;
    equals.test(this.#code);
    return equals.lastIndex;
  }

  /** A statement that isn't a declaration of the top level: only its `var`s and its value matter. */
  #statement(node: Statement, isLast: boolean): void {
    this.#rewriteVars(node);
    if (isLast) this.#returnValue(node);
  }

  #returnValue(node: Statement): void {
    switch (node.type) {
      case 'ExpressionStatement': {
        // Brackets around the expression stand outside its node, and stay where they are.
        const rest = this.#code.slice(node.expression.end, node.end);
        this.#replace(node.start, node.start, 'return (');
        this.#replace(node.expression.end, node.end, `${rest.replace(/;$/u, '')});`);
        return;
      }
      case 'BlockStatement': {
        const last = node.body.at(-1);
        if (last) this.#returnValue(last);
        return;
      }
      case 'IfStatement':
        this.#returnValue(node.consequent);
        if (node.alternate) this.#returnValue(node.alternate);
        return;
      case 'TryStatement':
        this.#returnValue(node.block);
        if (node.handler) this.#returnValue(node.handler.body);
        return;
      default:
    }
  }

  /** `var` anywhere outside functions names a variable of the session: the keyword goes. */
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
        // `void` can't continue the line before, as the bracket of a pattern could.
        const isPattern = first.id.type !== 'Identifier';
        this.#replace(node.start, first.start, isPattern ? 'void 0,' : '');
        if (!this.#code.startsWith(';', node.end - 1)) this.#replace(node.end, node.end, ';');
      }
      return true;
    });
  }

  #replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }
}

function isAnonymousFunction(node: AnyNode): boolean {
  return (
    node.type === 'ArrowFunctionExpression' ||
    ((node.type === 'FunctionExpression' || node.type === 'ClassExpression') && !node.id)
  );
}

function exportError(node: AnyNode): CodeSyntaxError {
  const column = (node.loc?.start.column ?? 0) + 1;
  return new CodeSyntaxError(
    "A cell can't re-export from a module; import the names instead.",
    lineOf(node),
    column,
  );
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
