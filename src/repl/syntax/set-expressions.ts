// Regular expressions with the flag `v`: the engine refuses, outside a class, what may be no letter within one. It is
// written by its number instead. What `RegExp` is given is written so when it is called (guest/set-expressions.ts).
import type { AnyNode, CallExpression, NewExpression, Program } from 'acorn';
import type { Edit } from './edits.ts';
import { walk } from './parse.ts';

const mayHaveOne = /\/[dgimsuy]*v[dgimsuy]*(?![\w$])|\bRegExp\b/u;

// An escape, what tells a group's flags, a bracket, or what is refused: a `-` and the second of two signs.
const part = /\\[^]|\(\?[a-z]*-[a-z]*:|[[\]]|-|(?<=([!#%&,:;<=>@`~]))\1/gu;

/** Edits within the literals of such expressions, and of calls that may make one. `runtime` is as for `importEdits`. */
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

/** `RegExp(a, b)` as `RegExp(...runtime.expression(a, b))`, where `b` may have the flag; of its subclasses `super(a, b)`. */
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
