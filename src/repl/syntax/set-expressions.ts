// Regular expressions with the flag `v`: the engine refuses, outside a class, what may be no letter within one. It is
// written by its number instead. An expression that is made of a text isn't seen here.
import type { Program } from 'acorn';
import type { Edit } from './edits.ts';
import { walk } from './parse.ts';

const mayHaveOne = /\/[dgimsuy]*v[dgimsuy]*(?![\w$])/u;

// An escape, what tells a group's flags, a bracket, or what is refused: a `-` and the second of two signs.
const part = /\\[^]|\(\?[a-z]*-[a-z]*:|[[\]]|-|(?<=([!#%&,:;<=>@`~]))\1/gu;

/** Edits within the literals of such expressions. */
export function setExpressionEdits(program: Program, code: string): Edit[] {
  if (!mayHaveOne.test(code)) return [];
  const edits: Edit[] = [];
  walk(program, (node) => {
    if (node.type !== 'Literal' || !node.regex?.flags.includes('v')) return;
    let depth = 0;
    for (const { 0: sign, index } of node.regex.pattern.matchAll(part)) {
      if (sign === '[') depth += 1;
      else if (sign === ']') depth -= 1;
      else if (depth === 0 && sign.length === 1) {
        const start = node.start + '/'.length + index;
        const text = `\\x${sign.charCodeAt(0).toString(16)}`;
        edits.push({ start, end: start + 1, text });
      }
    }
  });
  return edits;
}
