// Rewrites `import(…)` and `import.meta` to calls of the code's own runtime parameter. The engine's
// own module loader isn't used, because it can't unload a module.
import type { AnyNode } from 'acorn';
import type { Edit } from './edits.ts';
import { walk } from './parse.ts';

/** Returns edits that replace dynamic imports and `import.meta` by calls of `runtime`. */
export function importEdits(root: AnyNode, runtime: string): Edit[] {
  const edits: Edit[] = [];
  walk(root, (node) => {
    if (node.type === 'ImportExpression') {
      edits.push({
        start: node.start,
        end: node.start + 'import'.length,
        text: `${runtime}.import`,
      });
    } else if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      edits.push({ start: node.start, end: node.end, text: `${runtime}.meta` });
    }
  });
  return edits;
}

/** Returns the offset of the expression behind `export default`. It may be in parentheses. */
export function exportedStart({ start }: { readonly start: number }, code: string): number {
  const words = /export(?:\s|\/\/.*|\/\*[^]*?\*\/)+default/uy;
  words.lastIndex = start;
  words.test(code);
  return words.lastIndex;
}

/**
 * Returns the name in `import { name as local }` or `export { local as name }`. The name may be a
 * string literal.
 */
export function specifierName(node: { readonly type: string }): string {
  if ('name' in node) return String(node.name);
  return 'value' in node ? String(node.value) : '';
}
