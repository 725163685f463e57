// Reads the names of a script that runs in a context of Node's vm. There it has globals of its own.
import type { AnyNode } from 'acorn';
import { applyEdits, type Edit } from './edits.ts';
import { parseCode, walk } from './parse.ts';
import { lexicalNames, outerReferences, varNames } from './scope.ts';

export interface ScriptNames {
  /** The script with `var` for its outermost `let`, `const` and `class`, so that later scripts see them. */
  readonly code: string;
  readonly functions: readonly string[];
  readonly vars: readonly string[];
  /** What it declares by `let`, `const` and `class`. These aren't members of the global object. */
  readonly lexical: readonly string[];
  /** Names that it writes without declaring them. */
  readonly writes: readonly string[];
  /** Names whose existence it asks for by `typeof`. */
  readonly asked: readonly string[];
}

/** @throws CodeSyntaxError */
export function readScriptNames(code: string): ScriptNames {
  const { body, ...program } = parseCode(code, 'script');
  const functions: string[] = [];
  const edits: Edit[] = [];
  for (const statement of body) {
    // The code runs inside a `with`, which strict code may not be. What it declares would be lost.
    if (statement.type === 'ExpressionStatement' && 'directive' in statement)
      edits.push({ start: statement.start, end: statement.end, text: ';' });
    else if (statement.type === 'FunctionDeclaration') functions.push(statement.id.name);
    else if (statement.type === 'ClassDeclaration')
      edits.push(
        { start: statement.start, end: statement.start, text: `var ${statement.id.name} = ` },
        { start: statement.end, end: statement.end, text: ';' },
      );
    else if (statement.type === 'VariableDeclaration' && /^(?:let|const)$/u.test(statement.kind))
      edits.push({
        start: statement.start,
        end: statement.start + statement.kind.length,
        text: 'var',
      });
  }
  const asked: string[] = [];
  const root = { ...program, body } as AnyNode;
  walk(root, (node) => {
    if (node.type === 'UnaryExpression' && node.operator === 'typeof')
      if (node.argument.type === 'Identifier') asked.push(node.argument.name);
  });
  const references = outerReferences({ ...program, body });
  return {
    code: applyEdits(code, edits),
    functions,
    vars: varNames(body),
    lexical: lexicalNames(body).filter((name) => !functions.includes(name)),
    writes: references.filter(({ isWrite }) => isWrite).map(({ name }) => name),
    asked,
  };
}
