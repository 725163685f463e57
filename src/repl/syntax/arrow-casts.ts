// `() => <T>{ a: 1 }` as `() => <T>({ a: 1 })`: without its type an object there would be a function's body.
import { afterToken, bracketEnd } from './param-decorators.ts';
import { skipBlanks } from './serialize-type.ts';

const mayHaveCast = /=>\s*</u;
// Security: what is no type isn't read to the end of the code for each arrow.
const maxTypeChars = 2_000;

/** For code without JSX, in which `<T>` there is a type. Lines stay. */
export function wrapArrowCasts(code: string): string {
  if (!mayHaveCast.test(code)) return code;
  let wrapped = '';
  let taken = 0;
  let depth = 0;
  // How deep the objects stand that are open.
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
  // Where a bracket is missing, its own error is told.
  return objects.length > 0 ? code : wrapped + code.slice(taken);
}

/** Where the object begins that is cast; undefined where there is none. */
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
