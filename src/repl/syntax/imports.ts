// `import(…)` and `import.meta` as calls of the code's own runtime parameter: the engine's loader is
// never used, because it could forget no module.
import type { AnyNode } from 'acorn';
import type { Edit } from './edits.ts';
import { walk } from './parse.ts';

/** Edits that send dynamic imports and `import.meta` to `runtime`. */
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

/** The start behind `export default`: the exported expression may have parentheses around it. */
export function exportedStart({ start }: { readonly start: number }, code: string): number {
  const words = /export(?:\s|\/\/.*|\/\*[^]*?\*\/)+default/uy;
  words.lastIndex = start;
  words.test(code);
  return words.lastIndex;
}

/** The name in `import { name as local }` and `export { local as name }`: it may be a string. */
export function specifierName(node: { readonly type: string }): string {
  if ('name' in node) return String(node.name);
  return 'value' in node ? String(node.value) : '';
}
