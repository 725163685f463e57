// `m(@Query('q') q: string)` as `m(__rockpoolP1=Query('q'), q: string)`: what strips types knows no decorators of
// parameters, and in a default value it strips what has types. rewrite-classes.ts takes them out of the list again.
import { paramDecoratorName } from './decorator-parser.ts';

/** The code with the decorator at `at` as a parameter, or undefined where none stands there. */
export function toParameter(code: string, at: number, count: number): string | undefined {
  if (code.charAt(at) !== '@') return undefined;
  const end = decoratorEnd(code, at + 1);
  if (end === undefined) return undefined;
  const expression = code.slice(at + 1, end);
  return `${code.slice(0, at)}${paramDecoratorName}${count}=${expression},${code.slice(end)}`;
}

const name =
  /\s*[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\s*\.\s*[\p{ID_Start}$_][\p{ID_Continue}$]*)*/uy;

function decoratorEnd(code: string, start: number): number | undefined {
  name.lastIndex = start;
  const isName = name.test(code);
  let end = isName ? name.lastIndex : start;
  if (isName && code.charAt(end) === '<') {
    const closed = bracketEnd(code, end, '<', '>');
    // A comparison, or what isn't closed.
    if (closed === undefined || code.charAt(closed) !== '(') return undefined;
    end = closed;
  }
  const open = /^\s*\(/u.exec(code.slice(end, end + 1000))?.[0];
  if (open !== undefined) return bracketEnd(code, end + open.length - 1, '([{', ')]}');
  return isName ? end : undefined;
}

// Texts, comments and regular expressions, in which brackets count for nothing. Security: each that isn't closed ends
// with its line or the code.
const quoted =
  /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\/(?<=[(,=:[!&|?{};+*%<>~^-]\s*\/)(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|=>/uy;

/** Behind the bracket that closes the one at `start`. */
function bracketEnd(
  code: string,
  start: number,
  opening: string,
  closing: string,
): number | undefined {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    quoted.lastIndex = at;
    if (quoted.test(code)) {
      at = quoted.lastIndex - 1;
      continue;
    }
    const char = code.charAt(at);
    if (char === '`') {
      at = templateEnd(code, at) - 1;
    } else if (opening.includes(char)) depth += 1;
    else if (closing.includes(char)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Behind the template's end. */
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
