// Fixes regular expressions with the flag `v`. Outside of classes, the engine refuses characters
// that are only reserved inside them. They are replaced by hexadecimal escapes. Arguments of
// `RegExp` are fixed at run time (guest/set-expressions.ts).
import type { AnyNode, CallExpression, NewExpression, Program } from 'acorn';
import type { Edit } from './edits.ts';
import { walk } from './parse.ts';

const mayHaveOne = /\/[dgimsuy]*v[dgimsuy]*(?![\w$])|\bRegExp\b/u;

// Matches an escape, a group's flags, a bracket, or a character to replace: a `-`, or the second of
// two equal signs.
const part = /\\[^]|\(\?[a-z]*-[a-z]*:|[[\]]|-|(?<=([!#%&,:;<=>@`~]))\1/gu;

/**
 * Returns edits within such literals, and edits of calls that may create one. `runtime` is the same
 * as in `importEdits`.
 */
export function setExpressionEdits(program: Program, code: string, runtime: string): Edit[] {
  if (!mayHaveOne.test(code)) return [];
  const edits: Edit[] = [];
  walk(program, (node) => {
    edits.push(...callEdits(node, code, runtime));
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

/**
 * Rewrites `RegExp(a, b)` to `RegExp(...runtime.expression(a, b))` if `b` may contain the flag. In
 * subclasses of RegExp, rewrites `super(a, b)`.
 */
function callEdits(node: AnyNode, code: string, runtime: string): Edit[] {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
    if (!node.superClass || !isExpressionClass(node.superClass)) return [];
    const edits: Edit[] = [];
    walk(node.body, (inner) => {
      if (inner.type === 'CallExpression' && inner.callee.type === 'Super')
        edits.push(...argumentEdits(inner, code, runtime));
      return inner.type !== 'ClassDeclaration' && inner.type !== 'ClassExpression';
    });
    return edits;
  }
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  return isCall && isExpressionClass(node.callee) ? argumentEdits(node, code, runtime) : [];
}

function isExpressionClass(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name === 'RegExp';
}

function argumentEdits(
  { callee, arguments: given, end }: CallExpression | NewExpression,
  code: string,
  runtime: string,
): Edit[] {
  const [, flags] = given;
  if (!flags || (flags.type === 'Literal' && !String(flags.value).includes('v'))) return [];
  const start = callee.end + (/^\s*/u.exec(code.slice(callee.end))?.[0].length ?? 0);
  if (code.charAt(start) !== '(') return [];
  return [
    { start, end: start + 1, text: `(...${runtime}.expression(` },
    { start: end - 1, end, text: '))' },
  ];
}
