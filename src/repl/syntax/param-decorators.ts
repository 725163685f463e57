// Turns parameter decorators into parameters: `m(@Query('q') q: string)` →
// `m(__rockpoolP1=Query('q'), q: string)`. The type stripper doesn't support such decorators, but
// it strips types in default values. rewrite-classes.ts removes these parameters again.
import { paramDecoratorName } from './decorator-parser.ts';
import { skipBlanks } from './serialize-type.ts';

/** Returns the code with all parameter decorators as parameters, or undefined if there are none. */
export function toParameters(code: string): string | undefined {
  return rename(code, nextDecorator(code, 0, true), true);
}

/**
 * Same as {@link toParameters}, but only for the parameter list that has a decorator at offset
 * `at`. Used for JSX, because an `@` in its text can't be told from a decorator.
 */
export function toParametersAt(code: string, at: number): string | undefined {
  return rename(code, at, false);
}

function rename(code: string, at: number | undefined, isAhead: boolean): string | undefined {
  let result = '';
  let taken = 0;
  let next = at;
  for (let count = 0; next !== undefined && code.charAt(next) === '@'; count += 1) {
    const end = decoratorEnd(code, next + 1);
    if (end === undefined) break;
    const expression = code.slice(next + 1, end);
    result += `${code.slice(taken, next)}${paramDecoratorName}${count}=${expression},`;
    taken = end;
    next = nextDecorator(code, end, isAhead);
  }
  return taken === 0 ? undefined : result + code.slice(taken);
}

/**
 * Finds the next decorator: of the same parameter, or behind a bracket or comma. With `isAhead`,
 * the search goes beyond the end of the parameter list.
 */
function nextDecorator(code: string, start: number, isAhead: boolean): number | undefined {
  let before = start === 0 ? '' : ',';
  let depth = 0;
  for (let at = skipBlanks(code, start); at < code.length;) {
    const char = code.charAt(at);
    if (char === '@' && '(,'.includes(before) && !isOfClass(code, at)) return at;
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    if (depth < 0 && !isAhead) return undefined;
    before = char;
    at = skipBlanks(code, afterToken(code, at));
  }
  return undefined;
}

/** True if the decorators belong to a class expression that is an argument. */
function isOfClass(code: string, start: number): boolean {
  let at = start;
  while (code.charAt(at) === '@') {
    const end = decoratorEnd(code, at + 1);
    if (end === undefined) return false;
    at = skipBlanks(code, end);
  }
  return /^class\b/u.test(code.slice(at, at + 6));
}

const name =
  /\s*[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\s*\.\s*[\p{ID_Start}$_][\p{ID_Continue}$]*)*/uy;

/** Returns the offset behind the decorator whose name begins at `start`. */
export function decoratorEnd(code: string, start: number): number | undefined {
  name.lastIndex = start;
  const isName = name.test(code);
  let end = isName ? name.lastIndex : start;
  if (isName && code.charAt(end) === '<') {
    const closed = bracketEnd(code, end, '<', '>');
    // The `<` is a comparison, or its bracket isn't closed.
    if (closed === undefined || code.charAt(closed) !== '(') return undefined;
    end = closed;
  }
  const open = /^\s*\(/u.exec(code.slice(end, end + 1000))?.[0];
  if (open !== undefined) return bracketEnd(code, end + open.length - 1, '([{', ')]}');
  return isName ? end : undefined;
}

// Matches strings, comments and regular expressions, in which brackets don't count. Security: an
// unclosed one ends with its line or with the code, so the scan stays linear.
const quoted =
  /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\/(?<=(?:[(,=:[!&|?{};+*%<>~^-]|\b(?:return|case|throw|typeof|yield|await|in|of))\s*\/)(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|=>/uy;

/** Returns the offset behind the bracket that closes the one at `start`. */
export function bracketEnd(
  code: string,
  start: number,
  opening: string,
  closing: string,
): number | undefined {
  let depth = 0;
  for (let at = start; at < code.length; at = afterToken(code, at)) {
    const char = code.charAt(at);
    if (opening.includes(char) && !isQuoted(code, at)) depth += 1;
    else if (closing.includes(char) && !isQuoted(code, at)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The `>` of an arrow `=>` isn't a bracket. */
function isQuoted(code: string, at: number): boolean {
  return code.charAt(at) === '>' && code.charAt(at - 1) === '=';
}

/**
 * Returns the offset behind the next string, comment, regular expression, template or single
 * character.
 */
export function afterToken(code: string, at: number): number {
  quoted.lastIndex = at;
  if (quoted.test(code)) return quoted.lastIndex;
  return code.charAt(at) === '`' ? templateEnd(code, at) : at + 1;
}

/** Returns the offset behind the end of a template literal. */
function templateEnd(code: string, start: number): number {
  for (let at = start + 1; at < code.length; at += 1) {
    const char = code.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '`') return at + 1;
    else if (char === '$' && code.charAt(at + 1) === '{')
      at = (bracketEnd(code, at + 1, '([{', ')]}') ?? code.length) - 1;
  }
  return code.length;
}
