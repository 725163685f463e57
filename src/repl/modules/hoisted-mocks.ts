// Hoists calls such as `vi.mock` above a file's imports, as test runners do. Each call is wrapped
// in a function at its original place, so line numbers don't change. The functions are called
// before anything is imported.
import type { AnyNode, Program } from 'acorn';
import type { Edit } from '../syntax/edits.ts';

export interface HoistedMocks {
  readonly edits: readonly Edit[];
  /**
   * Statements that call the functions, in the order of the source. Empty if the file has no such
   * call.
   */
  readonly calls: string;
}

const holders = new Set(['vi', 'vitest', 'jest']);
const lifted = new Set(['mock', 'unmock', 'hoisted']);

/** `prefix` is the beginning of each generated function's name. */
export function hoistMocks(program: Program, code: string, prefix: string): HoistedMocks {
  const edits: Edit[] = [];
  const calls: string[] = [];
  for (const node of program.body) {
    const found = findHoisted(node);
    if (!found) continue;
    const { call, declared } = found;
    const name = `${prefix}Hoisted${calls.length}`;
    const isAwaited = call.type === 'AwaitExpression';
    const keyword = isAwaited ? 'async function' : 'function';
    const between = code.slice(node.start, call.start).replace(/[^\n\r\u2028\u2029]+/gu, '');
    edits.push(
      { start: node.start, end: call.start, text: `${between};${keyword} ${name}(){return ` },
      { start: call.end, end: call.end, text: '}' },
      ...importedPath(call),
    );
    const pattern = declared && code.slice(declared.start, declared.end);
    const target = pattern?.replace(/\/\/[^\n]*/gu, '').replace(/\s+/gu, ' ');
    const run = `${isAwaited ? 'await ' : ''}${name}();`;
    calls.push(target === undefined ? run : `const ${target}=${run}`);
  }
  return { edits, calls: calls.join('') };
}

interface Hoisted {
  /** The call, or the `await` expression around it. */
  readonly call: AnyNode;
  /** The pattern of the declaration that receives the call's value. */
  readonly declared?: AnyNode;
}

function findHoisted(node: AnyNode): Hoisted | undefined {
  if (node.type === 'ExpressionStatement')
    return isHoisted(node.expression) ? { call: node.expression } : undefined;
  if (node.type !== 'VariableDeclaration' || node.declarations.length !== 1) return undefined;
  const [declarator] = node.declarations;
  return declarator?.init && isHoisted(declarator.init, 'hoisted')
    ? { call: declarator.init, declared: declarator.id }
    : undefined;
}

function isHoisted(expression: AnyNode, method?: string): boolean {
  const call = expression.type === 'AwaitExpression' ? expression.argument : expression;
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return false;
  const { object, property, computed } = call.callee;
  return (
    !computed &&
    object.type === 'Identifier' &&
    holders.has(object.name) &&
    property.type === 'Identifier' &&
    (method === undefined ? lifted.has(property.name) : property.name === method)
  );
}

/** Turns `vi.mock(import('./path'))` into `vi.mock('./path')`. */
function importedPath(call: AnyNode): Edit[] {
  const [path] = call.type === 'CallExpression' ? call.arguments : [];
  if (path?.type !== 'ImportExpression') return [];
  return [
    { start: path.start, end: path.source.start, text: '' },
    { start: path.source.end, end: path.end, text: '' },
  ];
}
