// Marks namespaces before types are stripped, because the stripper would drop them as types.
// `export namespace A.B { export const x = 1 }` becomes `__rockpoolX;__rockpoolN.A.B=function(){
// __rockpoolX;const x = 1 };`. rewrite-namespaces.ts later turns the marks into namespaces.
import { afterToken, bracketEnd, decoratorEnd } from './param-decorators.ts';
import { editWithPlaces, type Edit, type Edited } from './edits.ts';
import { syntaxErrorAt } from './parse.ts';
import { runtimeName } from './runtime-name.ts';

/** An object with this name stands for the namespaces. Its members are their names. */
export const namespaceMark = `${runtimeName}N`;
/**
 * A statement with this name marks the next declaration as exported from its namespace. Before a
 * namespace, it marks an export of the module.
 */
export const exportMark = `${runtimeName}X`;

const mayHaveNamespace =
  /\b(?:namespace|module)[ \t]+[^\s.{;()=]+\s*[.{]|\bexport\s+import\s+[^\s.{;()=]+\s*=/u;
const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const head =
  /(?<=(?:^|[;{}]|\*\/|\bexport)[ \t]*)(?:namespace|module)[ \t]+([\p{ID_Start}$_][\p{ID_Continue}$]*(?:\s*\.\s*[\p{ID_Start}$_][\p{ID_Continue}$]*)*)\s*\{/muy;
const declared = /declare\s+(?:namespace|module|global)\b[^{;\n]*\{/uy;
const exported =
  /export\s+(?:(type|interface|declare|import\s+type)\b(?!\s*=)|import(?=\s+[\p{ID_Continue}$]+\s*=(?!\s*require\b)))/uy;

/**
 * Returns the code with marked namespaces, or undefined if there are none.
 *
 * @throws CodeSyntaxError
 */
export function markNamespaces(code: string): Edited | undefined {
  if (!mayHaveNamespace.test(code)) return undefined;
  const edits: Edit[] = [];
  // The open brackets. `name` is set if the bracket opens a namespace.
  const open: { readonly name?: string; readonly at: number }[] = [];
  let decoratedAt: number | undefined;
  for (let at = 0; at < code.length;) {
    const char = code.charAt(at);
    if (char === '@' && open.at(-1)?.name !== undefined) {
      decoratedAt ??= at;
      at = decoratorEnd(code, at + 1) ?? at + 1;
      continue;
    }
    if ('([{'.includes(char)) open.push({ at });
    if (')]}'.includes(char) && open.pop()?.name !== undefined)
      edits.push({ start: at, end: at + 1, text: '};' });
    const name = match(word, code, at)?.[0];
    if (name === undefined) {
      at = afterToken(code, at);
      continue;
    }
    const space = /^(?:namespace|module)$/u.test(name) ? match(head, code, at) : undefined;
    const ambient = name === 'declare' ? match(declared, code, at) : undefined;
    if (space) {
      const braceAt = at + space[0].length - 1;
      // The error is reported at the brace. The JavaScript parser fails before that, so this error
      // is the one shown.
      if (open.length > 0 && open.at(-1)?.name === undefined)
        throw syntaxErrorAt(
          'A namespace stands at the top level, or in another one',
          code,
          braceAt,
        );
      const path = space[1]?.replace(/\s+/gu, '') ?? '';
      const text = `${namespaceMark}.${path}=function(){${linesOf(space[0])}`;
      edits.push({ start: at, end: at + space[0].length, text });
      open.push({ name: path, at });
      at += space[0].length;
    } else if (ambient) {
      at = bracketEnd(code, at + ambient[0].length - 1, '([{', ')]}') ?? code.length;
    } else {
      if (name === 'export') edits.push(...exportEdits(code, at, open.at(-1), decoratedAt));
      at += name.length;
    }
    decoratedAt = undefined;
  }
  const unclosed = open.findLast(({ name }) => name !== undefined);
  if (!unclosed) return editWithPlaces(code, edits);
  throw syntaxErrorAt(
    `Where the namespace ${unclosed.name} ends can't be told: look for a bracket that isn't closed, or make it a module`,
    code,
    unclosed.at,
  );
}

function exportEdits(
  code: string,
  start: number,
  owner: { readonly name?: string } | undefined,
  decoratedAt: number | undefined,
): Edit[] {
  const word = { start, end: start + 'export'.length };
  const isInside = owner?.name !== undefined;
  if (owner && !isInside) return [];
  // The mark stands before the declaration and its decorators.
  if (isInside && decoratedAt !== undefined)
    return [
      { start: decoratedAt, end: decoratedAt, text: `${exportMark};` },
      { ...word, text: '' },
    ];
  const found = match(exported, code, start);
  // An alias of a namespace member becomes a constant.
  if (found?.[0].endsWith('import')) {
    const text = `${isInside ? `${exportMark};` : 'export '}${linesOf(found[0])}const`;
    return [{ start, end: start + found[0].length, text }];
  }
  if (isInside && /^\s*(?:default\b|[{*])/u.test(code.slice(word.end, word.end + 100)))
    throw syntaxErrorAt('A namespace exports what it declares: write `export` there', code, start);
  if (isInside) return [{ ...word, text: found?.[1] === undefined ? `${exportMark};` : '' }];
  const space = /^[ \t]+/u.exec(code.slice(word.end, word.end + 100))?.[0] ?? '';
  return match(head, code, word.end + space.length) ? [{ ...word, text: `${exportMark};` }] : [];
}

function match(pattern: RegExp, code: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code) ?? undefined;
}

/** Returns the line ends of a text that is removed. */
export function linesOf(text: string): string {
  return text.replace(/[^\n\r\u2028\u2029]/gu, '');
}
