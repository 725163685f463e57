// Turns TypeScript and JSX into JavaScript with the same line numbers. The stripper is loaded when
// a session first has code that may need it.
import type { Program } from 'acorn';
import type { Options as SucraseOptions } from 'sucrase';
import { SdkError, messageOf } from '../../core/errors.ts';
import { wrapArrowCasts } from './arrow-casts.ts';
import { toParameters, toParametersAt } from './param-decorators.ts';
import { createFindPlace, type FindPlace } from './source-places.ts';
import { markNamespaces, namespaceMark } from './namespace-marks.ts';
import { CodeSyntaxError, syntaxErrorAt, toCodeSyntaxError, walk } from './parse.ts';
import { rewriteNamespaces } from './rewrite-namespaces.ts';
import type { JsxOptions } from './project-options.ts';

export interface StripOptions {
  /** The project's settings for JSX, or undefined for code that has none. */
  readonly jsx: (() => JsxOptions) | undefined;
  /**
   * True for cells, because a later cell may use the import. Modules drop imports that are only
   * used as types.
   */
  readonly keepUnusedImports: boolean;
}

/** The result of stripping. */
export interface StrippedCode {
  readonly code: string;
  /**
   * The source with its types. Parameter decorators have become parameters, and namespaces are
   * marked.
   */
  readonly source: string;
  /** Maps an offset of `code` to `source`. */
  readonly findPlace: FindPlace;
  /** Strips another source with the same options. */
  strip(source: string): StrippedCode;
}

/**
 * Strips types. Line numbers don't change.
 *
 * @throws CodeSyntaxError
 */
export type StripTypes = (code: string, options: StripOptions) => StrippedCode;

/** The comments and blanks before the code. */
const leading = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/u;
const hasReact = /\b(?:import\s+(?:\*\s*as\s+)?|const\s+|let\s+|var\s+)React\b/u;

/**
 * Loads the stripper. Later calls return the same one.
 *
 * @throws SdkError `unsupported-environment` if its file can't be fetched
 */
export async function loadStripTypes(): Promise<StripTypes> {
  const { transform } = await import('sucrase').catch((error: unknown) => {
    throw toLoadError(error);
  });
  return function strip(text, options) {
    const given = options.jsx ? text : wrapArrowCasts(text);
    const jsx = options.jsx && toJsxOptions(text, options.jsx);
    const sucraseOptions: SucraseOptions = {
      transforms: jsx ? ['typescript', 'jsx'] : ['typescript'],
      // The engine already supports the syntax that sucrase would translate.
      disableESTransforms: true,
      keepUnusedImports: options.keepUnusedImports,
      production: true,
      ...jsx,
    };
    let marked: ReturnType<typeof markNamespaces>;
    try {
      marked = markNamespaces(given);
    } catch (error) {
      throw firstMistake(error, () => transform(given, sucraseOptions), given);
    }
    let source = marked?.code ?? given;
    let code: string | undefined;
    let read = 0;
    while (code === undefined) {
      try {
        code = transform(source, sucraseOptions).code;
      } catch (error) {
        // For a decorator in the parameters of an arrow function, the stripper reports the
        // function's place.
        const named = options.jsx ? toParametersAt(source, placeOf(error)) : toParameters(source);
        if (named === undefined) {
          // If nothing but the namespace marks was added, the error is mapped to the code without
          // marks.
          const at = read === 0 ? marked?.toBefore(placeOf(error)) : undefined;
          if (at === undefined) throw toCodeSyntaxError(error, source, 1);
          const { message } = toCodeSyntaxError(error, source, 1);
          throw syntaxErrorAt(message, given, at);
        }
        read += source.length;
        if (read > maxReadChars) throw tooManyDecorators(source);
        source = named;
      }
    }
    for (const mend of [quoteFields, separateFields]) {
      const mended = mend(source, code);
      if (mended === undefined) continue;
      source = mended;
      code = transform(source, sucraseOptions).code;
    }
    const stripped = code;
    const hasNamespace = stripped.includes(`${namespaceMark}.`);
    const rewritten = hasNamespace ? rewriteNamespaces(stripped) : undefined;
    let places: FindPlace | undefined;
    const toMapped = (text: string) => {
      const named = { filePath: 'source', sourceMapOptions: { compiledFilename: 'code' } };
      const { code: mapped, sourceMap } = transform(text, { ...sucraseOptions, ...named });
      return { code: mapped, mappings: sourceMap?.mappings ?? '' };
    };
    return {
      source,
      code: rewritten?.code ?? stripped,
      strip: (other) => strip(other, options),
      findPlace(offset) {
        places ??= createFindPlace(stripped, source, toMapped);
        const at = rewritten ? rewritten.toBefore(offset) : offset;
        return at === undefined ? undefined : places(at);
      },
    };
  };
}

/** What a file's first comments say of its JSX, as TypeScript reads it, comes before the project's settings. */
function toJsxOptions(code: string, project: () => JsxOptions): Partial<SucraseOptions> {
  const comments = leading.exec(code)?.[0] ?? '';
  const own = new Map(
    [...comments.matchAll(/@jsx(\w*)\s+([\w$./@-]+)/gu)].map(([, name, value]) => [name, value]),
  );
  const { importSource, factory, fragmentFactory } = own.size > 0 ? {} : project();
  const jsxPragma = own.get('') ?? factory;
  const jsxFragmentPragma = own.get('Frag') ?? fragmentFactory;
  const jsxImportSource = own.get('ImportSource') ?? importSource;
  // A file that binds `React` expects the classic JSX runtime.
  const isClassic = jsxPragma !== undefined || (!jsxImportSource && hasReact.test(code));
  const usual = isClassic ? 'classic' : 'automatic';
  return {
    jsxRuntime: (own.get('Runtime') ?? usual) === 'classic' ? 'classic' : 'automatic',
    ...(jsxPragma && { jsxPragma }),
    ...(jsxFragmentPragma && { jsxFragmentPragma }),
    ...(jsxImportSource && { jsxImportSource }),
  };
}

/**
 * `get!: T` above another field would become the start of a getter once its type is stripped. So such a name is
 * quoted. Returns undefined if there is none.
 */
function quoteFields(source: string, stripped: string): string | undefined {
  const alone = /(?:^|[{};])[ \t]*(?:static[ \t]+)?(?:get|set|static)[ \t]*$/u;
  const fields =
    /((?:^|[{};])\s*(?:(?:public|private|protected|static|override|readonly)\s+)*)(get|set|static)(?=\s*[!?]?\s*:)/gu;
  const lines = stripped.split('\n');
  if (!lines.some((line) => alone.test(line))) return undefined;
  const quoted = source
    .split('\n')
    .map((line, index) => (alone.test(lines[index] ?? '') ? line.replace(fields, "$1'$2'") : line))
    .join('\n');
  return quoted === source ? undefined : quoted;
}

/**
 * `readonly [key] = 1` would go on with the field above it once its modifiers are stripped: `a = {}\n[key] = 1`. So a
 * semicolon stands before it. Returns undefined if there is none.
 */
function separateFields(source: string, stripped: string): string | undefined {
  const member = /^([ \t]*)((?:(?:public|private|protected|override|readonly)[ \t]+)+[[*])/u;
  const bare = /^[ \t]*[[*]/u;
  const rest = stripped.split('\n');
  const lines = source.split('\n');
  const separated = lines.map((line, index) => {
    if (!bare.test(rest[index] ?? '') || !member.test(line)) return line;
    // A decorator on a line of its own belongs to the field.
    const above = lines.slice(0, index).findLast((other) => other.trim() !== '');
    return above?.trim().startsWith('@') ? line : line.replace(member, '$1;$2');
  });
  const code = separated.join('\n');
  return code === source ? undefined : code;
}

/** An unclosed text or bracket makes a namespace look as if it stood in something: then that is the mistake. */
function firstMistake(error: unknown, read: () => unknown, code: string): unknown {
  try {
    read();
  } catch (other) {
    const before = toCodeSyntaxError(other, code, 1);
    if (error instanceof CodeSyntaxError && error.isBehind(before)) return before;
  }
  return error;
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

function toLoadError(cause: unknown): SdkError {
  return new SdkError(
    'unsupported-environment',
    `What strips TypeScript's types could not be loaded: ${messageOf(cause)}. ` +
      "Check the network, and that the library's sucrase.js is served beside the tool worker's " +
      'file, then try again.',
    { cause },
  );
}

/**
 * Returns the names of a stripped program's enums: `var A; (function (A) { … })(A || (A = {}));`.
 */
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
 * True if code that parses as JavaScript still looks like TypeScript. For example, `f<T>(x)` parses
 * as two comparisons, which nobody writes.
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
