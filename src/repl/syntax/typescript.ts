// TypeScript and JSX become JavaScript with the same line numbers. The stripper is loaded only when
// a session first meets code that may need it.
import type { Program } from 'acorn';
import type { Options as SucraseOptions } from 'sucrase';
import { SdkError, messageOf } from '../../core/errors.ts';
import { toParameters, toParametersAt } from './param-decorators.ts';
import { createFindPlace, type FindPlace } from './source-places.ts';
import { CodeSyntaxError, toCodeSyntaxError, walk } from './parse.ts';

export interface StripOptions {
  readonly jsx: boolean;
  /** Cells keep imports that they don't use yet: a later cell may. Modules lose type-only ones. */
  readonly keepUnusedImports: boolean;
}

/** Code that had types. */
export interface StrippedCode {
  readonly code: string;
  /** With its types. Decorators of parameters are parameters (param-decorators.ts). */
  readonly source: string;
  /** Where the tokens of the code stood in the source. */
  readonly findPlace: FindPlace;
  /** Another source in the same way. */
  strip(source: string): StrippedCode;
}

/**
 * Strips types; line numbers stay.
 *
 * @throws CodeSyntaxError
 */
export type StripTypes = (code: string, options: StripOptions) => StrippedCode;

const hasReact = /\b(?:import\s+(?:\*\s*as\s+)?|const\s+|let\s+|var\s+)React\b/u;

/**
 * Loads the stripper; the second call costs nothing.
 *
 * @throws SdkError `unsupported-environment` when its file can't be fetched
 */
export async function loadStripTypes(): Promise<StripTypes> {
  const { transform } = await import('sucrase').catch((error: unknown) => {
    throw toLoadError(error);
  });
  return function strip(given, options) {
    const toOptions = (code: string): SucraseOptions => ({
      transforms: options.jsx ? ['typescript', 'jsx'] : ['typescript'],
      // The engine is newer than what sucrase would translate to.
      disableESTransforms: true,
      keepUnusedImports: options.keepUnusedImports,
      production: true,
      // As the file itself has it: one that names React is meant for the calls of old.
      jsxRuntime: hasReact.test(code) ? 'classic' : 'automatic',
    });
    let source = given;
    let code: string | undefined;
    let read = 0;
    while (code === undefined) {
      try {
        code = transform(source, toOptions(source)).code;
      } catch (error) {
        // Where it stands in an arrow function, the error tells of that function.
        const named = options.jsx ? toParametersAt(source, placeOf(error)) : toParameters(source);
        if (named === undefined) {
          refuseNamespaces(source, '', placeOf(error));
          throw toCodeSyntaxError(error, source, 1);
        }
        read += source.length;
        if (read > maxReadChars) throw tooManyDecorators(source);
        source = named;
      }
    }
    refuseNamespaces(source, code);
    const stripped = code;
    let places: FindPlace | undefined;
    const toMapped = (text: string) => {
      const named = { filePath: 'source', sourceMapOptions: { compiledFilename: 'code' } };
      const { code: mapped, sourceMap } = transform(text, { ...toOptions(text), ...named });
      return { code: mapped, mappings: sourceMap?.mappings ?? '' };
    };
    return {
      source,
      code: stripped,
      strip: (other) => strip(other, options),
      findPlace(offset) {
        places ??= createFindPlace(stripped, source, toMapped);
        return places(offset);
      },
    };
  };
}

// Security: with JSX the code is read once more for each function that has such parameters.
const maxReadChars = 5_000_000;

function tooManyDecorators(code: string): CodeSyntaxError {
  const message =
    'Too many functions here have parameters with decorators: make several files of it';
  return new CodeSyntaxError(message, code, 1, 1);
}

function placeOf(error: unknown): number {
  return error instanceof Error && 'pos' in error ? Number(error.pos) : -1;
}

// Where a statement may begin.
const namespaceHead = /(?:^|[;}])[ \t]*(?:export\s+)?(?:namespace|module)\s+([\w$.]+)\s*\{/gmu;
const valueDeclaration =
  /^\s*(?:export\s+)?(?:const|let|var|function|async|class|abstract|enum)\b/mu;

/**
 * sucrase takes each namespace for a type and drops it, with the values that may be in it: said
 * here, rather than that a name isn't defined later. Some of them it can't read: `at` is where.
 */
function refuseNamespaces(code: string, stripped: string, at?: number): void {
  for (const match of code.matchAll(namespaceHead)) {
    const line = code.slice(0, match.index).split('\n').length;
    // Still there: a text or a comment.
    if (stripped.split('\n')[line - 1]?.includes(match[0])) continue;
    const bodyAt = match.index + match[0].length;
    // It ends where a line begins with its brace, or on its own line.
    const [own = ''] = /^(?:.*\}|[^]*?^\})/mu.exec(code.slice(bodyAt)) ?? [];
    if (!valueDeclaration.test(own)) continue;
    if (at !== undefined && (at < bodyAt || at > bodyAt + own.length)) continue;
    throw new CodeSyntaxError(
      `The namespace ${match[1]} holds values, which can't be run here: make it a module or an object`,
      code,
      line,
      // At its brace: further on than the JavaScript parser gets, which knows no namespaces.
      match[0].length,
    );
  }
}

function toLoadError(cause: unknown): SdkError {
  return new SdkError(
    'unsupported-environment',
    `What strips TypeScript's types could not be loaded: ${messageOf(cause)}. ` +
      "Check the network, and that the library's sucrase.js is served beside the tool worker's " +
      'file, then try again.',
    { cause },
  );
}

/** Names of the enums of a stripped program: `var A; (function (A) { … })(A || (A = {}));` each. */
export function enumNames(program: Program): string[] {
  return program.body.flatMap((statement, index) => {
    const before = program.body[index - 1];
    if (before?.type !== 'VariableDeclaration' || before.declarations.length !== 1) return [];
    const [{ id, init } = {}] = before.declarations;
    if (id?.type !== 'Identifier' || init) return [];
    if (statement.type !== 'ExpressionStatement') return [];
    const call = statement.expression;
    if (call.type !== 'CallExpression' || call.callee.type !== 'FunctionExpression') return [];
    const [argument] = call.arguments;
    const isOwn =
      argument?.type === 'LogicalExpression' &&
      argument.left.type === 'Identifier' &&
      argument.left.name === id.name;
    return isOwn ? [id.name] : [];
  });
}

/**
 * Does code that parses as JavaScript look like TypeScript all the same? `f<T>(x)` is a pair of
 * comparisons to a JavaScript parser, and nobody means that.
 */
export function hasTypeArguments(program: Program, code: string): boolean {
  let found = false;
  walk(program, (node) => {
    if (
      node.type === 'BinaryExpression' &&
      node.operator === '>' &&
      node.left.type === 'BinaryExpression' &&
      node.left.operator === '<' &&
      node.left.start === node.start &&
      code.charAt(node.left.start) !== '(' &&
      /^\s*>\s*\(/u.test(code.slice(node.left.end))
    ) {
      found = true;
    }
    return !found;
  });
  return found;
}
