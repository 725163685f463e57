// Rewrites `() => <T>{ a: 1 }` to `() => <T>({ a: 1 })`. Without the parentheses, the object
// literal would become a function body once the type is stripped.
import { afterToken, bracketEnd } from './param-decorators.ts';
import { skipBlanks } from './serialize-type.ts';

const mayHaveCast = /=>\s*</u;
// Security: a `<` that begins no type isn't followed to the end of the code for each arrow.
const maxTypeChars = 2_000;

/**
 * Parenthesizes object literals behind an arrow and a cast. Only for code without JSX, where `<T>`
 * there is a type. Line numbers don't change.
 */
export function wrapArrowCasts(code: string): string {
  if (!mayHaveCast.test(code)) return code;
  let wrapped = '';
  let taken = 0;
  let depth = 0;
  // The bracket depths of the parenthesized objects that are still open.
  const objects: number[] = [];
  const insert = (at: number, bracket: string) => {
    wrapped += code.slice(taken, at) + bracket;
    taken = at;
  };
  for (let at = 0; at < code.length;) {
    const char = code.charAt(at);
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) {
      depth -= 1;
      if (objects.at(-1) === depth) {
        insert(at + 1, ')');
        objects.pop();
      }
    }
    const start = code.startsWith('=>', at) ? objectAt(code, at + 2) : undefined;
    if (start !== undefined) {
      insert(start, '(');
      objects.push(depth);
    }
    at = start ?? afterToken(code, at);
  }
  // With a missing bracket, the code stays unchanged and the parser reports its own error.
  return objects.length > 0 ? code : wrapped + code.slice(taken);
}

/** Returns the offset of the cast object literal behind an arrow, or undefined if there is none. */
function objectAt(code: string, arrowEnd: number): number | undefined {
  let at = skipBlanks(code, arrowEnd);
  let hasType = false;
  while (code.charAt(at) === '<') {
    const length = bracketEnd(code.slice(at, at + maxTypeChars), 0, '<', '>');
    if (length === undefined) return undefined;
    at = skipBlanks(code, at + length);
    hasType = true;
  }
  return hasType && code.charAt(at) === '{' ? at : undefined;
}
