// Code whose classes the engine doesn't know as code that it knows: see rewrite-classes.ts. It comes after the types were
// stripped, and strips once more where a type is needed as a value.
import type { AnyNode, Program } from 'acorn';
import { applyEdits, type Edit } from './edits.ts';
import { CodeSyntaxError, parseCode, parserOptions, toCodeSyntaxError, walk } from './parse.ts';
import { runtimeName } from './runtime-name.ts';
import type { StrippedCode } from './typescript.ts';
import type { ClassOptions } from './class-options.ts';
import {
  paramDecoratorName,
  parseDecorated,
  type Decorated,
  type Decorator,
} from './decorator-parser.ts';
import { createElementTypes } from './element-types.ts';
import {
  declaredName,
  decoratorsOf,
  hasRewrittenClass,
  isClass,
  rewriteClasses,
} from './rewrite-classes.ts';

/** Code, with or without types before. */
export type CompiledCode = Pick<StrippedCode, 'code'> & Partial<StrippedCode>;

/**
 * Parses code, with its classes rewritten where they must be.
 *
 * @throws CodeSyntaxError
 */
export function parseClasses(
  given: CompiledCode,
  classOptions: () => ClassOptions,
): { readonly code: string; readonly program: Program } {
  const { code } = given;
  let program: Program;
  try {
    program = parseCode(code);
  } catch (error) {
    if (!(error instanceof CodeSyntaxError) || !/@|\baccessor\b/u.test(code)) throw error;
    return compile(given, classOptions(), error);
  }
  const isTyped = given.source !== undefined && /\bclass\b/u.test(code);
  if (!isTyped) return { code, program };
  if (code.includes(paramDecoratorName)) return compile(given, classOptions());
  if (!hasRewrittenClass(program, 'assign')) return { code, program };
  const options = classOptions();
  return options.fields === 'assign' ? compile(given, options) : { code, program };
}

function compile(
  given: CompiledCode,
  options: ClassOptions,
  error?: CodeSyntaxError,
): { readonly code: string; readonly program: Program } {
  let taken = given;
  let program = parse(taken.code, error);
  const named = keepDeclared(taken, program);
  if (named !== undefined && taken.strip) {
    taken = taken.strip(named);
    program = parse(taken.code, undefined);
  }
  if (taken.source === undefined || !taken.findPlace || !taken.strip)
    return done(rewriteClasses(program, taken.code, options));
  const { source, strip } = taken;
  // The stripper doesn't count a decorator as a use of an import.
  const names = new Set(decoratorNames(program));
  const rewrite = ({ code, findPlace }: StrippedCode) =>
    rewriteClasses(program, code, {
      ...options,
      types: createElementTypes({
        ...{ source, code, options, findPlace },
        onName: (name) => names.add(name),
      }),
    });
  const rewritten = rewrite(taken as StrippedCode);
  if (names.size === 0) return done(rewritten);
  // Imports for types alone are stripped, too, so they are used here, for those that have values.
  const use = `;${runtimeName}Used(${[...names].join()})`;
  const again = strip(`${source}\n${use}`);
  const code = again.code.slice(0, again.code.lastIndexOf(`\n${use.slice(0, 12)}`));
  program = parse(code, undefined);
  return done(rewrite({ ...again, code }));
}

function done(code: string): { readonly code: string; readonly program: Program } {
  return { code, program: parseCode(code) };
}

/** The complaint of the parser that got furthest is the best one. */
function parse(code: string, before: CodeSyntaxError | undefined): Program {
  try {
    return parseDecorated(code, parserOptions('module'));
  } catch (error) {
    const own = toCodeSyntaxError(error, code, 0);
    throw !before || before.isOfDecorator || own.isBehind(before) ? own : before;
  }
}

/**
 * The source in which `@Column() declare name: string` isn't only declared, or undefined where
 * there is none of that. TypeScript runs such decorators, and the stripper leaves nothing that they
 * could stand before.
 */
function keepDeclared({ source, findPlace }: CompiledCode, program: Program): string | undefined {
  if (source === undefined || !findPlace || !/\b(?:declare|abstract)\b/u.test(source))
    return undefined;
  const edits: Edit[] = [];
  walk(program, (node) => {
    if (!isClass(node)) return;
    for (const element of node.body.body as readonly Decorated[]) {
      for (const { expression, end } of decoratorsOf(element)) {
        const last = expression.type === 'Identifier' ? expression : lastToken(expression, end);
        const place = findPlace(last.start);
        if (place !== undefined) edits.push(...declaredAt(source, place + end - last.start));
      }
    }
  });
  return edits.length === 0 ? undefined : applyEdits(source, edits);
}

function decoratorNames(program: Program): string[] {
  const names: string[] = [];
  walk(program, (node: AnyNode | Decorator) => {
    if (node.type !== 'Decorator') return;
    let { expression } = node;
    if (expression.type === 'CallExpression') expression = expression.callee;
    while (expression.type === 'MemberExpression') expression = expression.object;
    if (expression.type === 'Identifier') names.push(expression.name);
  });
  return names;
}

/** A bracket, or the last of the names. */
function lastToken(expression: AnyNode, end: number): { readonly start: number } {
  return expression.type === 'MemberExpression' ? expression.property : { start: end - 1 };
}

/** `declare name` behind a decorator becomes `__rockpoolDname`, which rewrite-classes.ts knows. */
function declaredAt(source: string, at: number): Edit[] {
  const head =
    /(?:\s|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:(?:public|private|protected|static|override|readonly)\s+)*(declare|abstract)\s+(?:(?:public|private|protected|static|override|readonly)\s+)*(?=[\p{ID_Start}$_])/uy;
  head.lastIndex = at;
  const found = head.exec(source);
  if (!found) return [];
  const name = head.lastIndex;
  const word = found[1] ?? '';
  const isMethod = /^[\p{ID_Continue}$]+\s*\??\s*[(<]/u.test(source.slice(name, name + 1000));
  if (isMethod) {
    const line = source.slice(0, name).split('\n').length;
    const message =
      'A method without a body can have no decorator: decorate where it is implemented';
    throw new CodeSyntaxError(message, source, line, 1);
  }
  const start = at + found[0].indexOf(word);
  return [
    { start, end: start + word.length, text: '' },
    { start: name, end: name, text: declaredName },
  ];
}
