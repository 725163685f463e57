import { describe, expect, it } from 'vitest';
import { parseCode } from '../../../src/repl/syntax/parse.ts';
import { outerReferences } from '../../../src/repl/syntax/scope.ts';

function names(code: string): string[] {
  return outerReferences(parseCode(code)).map(
    ({ name, isWrite, isInFunction, isShorthand }) =>
      name + (isWrite ? '=' : '') + (isInFunction ? '()' : '') + (isShorthand ? '{}' : ''),
  );
}

describe('outerReferences', () => {
  it.each([
    ['a; b.c; d[e]; ({ f: g, h, [i]: j })', ['a', 'b', 'd', 'e', 'g', 'h{}', 'i', 'j']],
    [
      'a = b; c += 1; d++; [e, f.g] = h; ({ i, j: k = l } = m)',
      ['a=', 'b', 'c=', 'd=', 'e=', 'f', 'h', 'i={}', 'k=', 'l', 'm'],
    ],
    [
      'function f(a, { b, c: [d] = e }, ...g) { return a + b + c + d + g + h + arguments }',
      ['e()', 'c()', 'h()'],
    ],
    ['(x) => { var y = z; { let z = 1; z } function w() { return w + x + y } return w }', ['z()']],
    ['{ let a = b; a } a', ['b', 'a']],
    [
      'for (const i of list) i; for (let j = 0; j < n; j++) j; for (k in o) k',
      ['list', 'n', 'k=', 'o', 'k'],
    ],
    ['try { a } catch ({ message, ...rest }) { message; rest; b }', ['a', 'b']],
    [
      'class A extends B { #p = c; static { let d; d; e } [f]() { return A + this.#p } }',
      ['B', 'c', 'e', 'f'],
    ],
    ['const f = function g() { return g + f }', ['f()']],
    ['switch (a) { case b: let c; default: c; d }', ['a', 'b', 'd']],
    ['label: for (;;) { break label }', []],
    ['import a from "m"; export const b = a; export { b as c }', ['a']],
    ['`${a}`; tag`${b}`; new C(...d); a?.b?.(e)', ['a', 'tag', 'b', 'C', 'd', 'a', 'e']],
  ])('finds in `%s` what is not its own', (code, expected) => {
    expect(names(code)).toEqual(expected);
  });
});
