// Rewrites class syntax that the engine doesn't support; see rewrite-classes.ts. Runs on code whose
// types were stripped. Strips the source again if an import is used only as a decorator or as a
// type that is needed as a value.
import type { AnyNode, Program } from 'acorn';
import { applyEdits, type Edit } from './edits.ts';
import { CodeSyntaxError, parseCode, parserOptions, toCodeSyntaxError, walk } from './parse.ts';
import { runtimeName } from './runtime-name.ts';
import type { StrippedCode } from './typescript.ts';
import type { ProjectOptions } from './project-options.ts';
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

/** Code, and its source with types if it had any. */
export type CompiledCode = Pick<StrippedCode, 'code'> & Partial<StrippedCode>;

/**
 * Parses code and rewrites its classes where needed.
 *
 * @throws CodeSyntaxError
 */
export function parseClasses(
  given: CompiledCode,
  projectOptions: () => ProjectOptions,
): { readonly code: string; readonly program: Program } {
  const { code } = given;
  let program: Program;
  try {
    program = parseCode(code, kindOf(given));
  } catch (error) {
    if (!(error instanceof CodeSyntaxError) || !/@|\baccessor\b/u.test(code)) throw error;
    return compile(given, projectOptions(), error);
  }
  const isTyped = given.source !== undefined && /\bclass\b/u.test(code);
  if (!isTyped) return { code, program };
  if (code.includes(paramDecoratorName)) return compile(given, projectOptions());
  if (!hasRewrittenClass(program, 'assign')) return { code, program };
  const options = projectOptions();
  return options.fields === 'assign' ? compile(given, options) : { code, program };
}

function compile(
  given: CompiledCode,
  options: ProjectOptions,
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
    return done(rewriteClasses(program, taken.code, options), given);
  const { source, strip } = taken;
  // The stripper doesn't count a decorator as a use of an import, and would drop the import.
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
  if (names.size === 0) return done(rewritten, given);
  // Type-only imports are stripped too. This statement uses those that have a value at run time.
  const use = `;${runtimeName}Used(${[...names].join()})`;
  const again = strip(`${source}\n${use}`);
  const code = again.code.slice(0, again.code.lastIndexOf(`\n${use.slice(0, 12)}`));
  program = parse(code, undefined);
  return done(rewrite({ ...again, code }), given);
}

function done(
  code: string,
  given: CompiledCode,
): { readonly code: string; readonly program: Program } {
  return { code, program: parseCode(code, kindOf(given)) };
}

/** Code without types is the same when they were stripped. */
const kindOf = ({ code, source = code }: CompiledCode) => (source === code ? 'module' : 'stripped');

/** The error of the parser that got furthest is reported. */
function parse(code: string, before: CodeSyntaxError | undefined): Program {
  try {
    return parseDecorated(code, parserOptions('module'));
  } catch (error) {
    const own = toCodeSyntaxError(error, code, 0);
    throw !before || before.isOfDecorator || own.isBehind(before) ? own : before;
  }
}

/**
 * TypeScript also runs decorators of elements that are only declared, such as `@Column() declare
 * name: string`. The stripper removes such an element. Returns a source in which these elements
 * survive stripping, or undefined if there are none.
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

/** The last token of a decorator: a bracket, or the last name. */
function lastToken(expression: AnyNode, end: number): { readonly start: number } {
  return expression.type === 'MemberExpression' ? expression.property : { start: end - 1 };
}

/**
 * Turns `declare name` behind a decorator into `__rockpoolDname`, which rewrite-classes.ts
 * recognizes.
 */
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
