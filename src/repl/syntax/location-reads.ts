// Replaces what code reads of `location` by an object's. A page can't replace its own: the browser forbids it. Only
// modules of a preview need it, since their document has an address without a path.
import type { AnyNode, Program } from 'acorn';
import { Place, type Edit } from './edits.ts';
import { walk } from './parse.ts';
import { lexicalNames, outerReferences, varNames } from './scope.ts';

const name = 'location';
const windows = new Set(['window', 'self', 'globalThis', 'document']);

/**
 * `by` is an object with the accessor `location`, the function `of(value)`, which gives the `location` of a value, and
 * `parts(value)`, which gives what a value is destructured by in its place.
 */
export function locationEdits(program: Program, code: string, by: string): Edit[] {
  if (!code.includes(name)) return [];
  const declared = new Set([...lexicalNames(program.body), ...varNames(program.body)]);
  const edits: Edit[] = outerReferences(program)
    .filter((reference) => reference.name === name && !declared.has(name))
    .map(({ node: { start, end }, isShorthand }) => {
      const text = `${by}.${name}`;
      return { start, end, text: isShorthand ? `${name}:${text}` : text };
    });
  const left = new Set<AnyNode>();
  walk(program, (node) => {
    leaveOut(node, left);
    if (node.type === 'VariableDeclarator' && node.init && takesLocation(node.id)) {
      edits.push(...wrap(node.init, `${by}.parts(`, ')'));
    }
    if (node.type === 'AssignmentExpression' && isOfWindow(node.left)) {
      const { start, end } = node.left;
      edits.push({ start, end, text: `${by}.${name}` });
    }
    if (!isRead(node) || left.has(node)) return;
    const { object } = node;
    const lines = code.slice(object.end, node.end).replaceAll(/[^\n]+/gu, '');
    edits.push(
      { ...at(object.start), text: `${by}.of(`, place: Place.beginsExpression },
      { start: object.end, end: node.end, text: `${lines})` },
    );
  });
  return edits;
}

const at = (offset: number) => ({ start: offset, end: offset });

function wrap({ start, end }: AnyNode, before: string, after: string): Edit[] {
  return [
    { ...at(start), text: before, place: Place.beginsExpression },
    { ...at(end), text: after, place: Place.endsExpression },
  ];
}

type Member = Extract<AnyNode, { type: 'MemberExpression' }>;

/** `window.location`, `options.window.location`. */
function isRead(node: AnyNode): node is Member {
  if (node.type !== 'MemberExpression' || node.computed || node.optional) return false;
  const { object, property } = node;
  const isSimple = object.type === 'Identifier' || object.type === 'MemberExpression';
  return isSimple && property.type === 'Identifier' && property.name === name;
}

function isOfWindow(node: AnyNode): boolean {
  return isRead(node) && node.object.type === 'Identifier' && windows.has(node.object.name);
}

/** What isn't only read: a target, the function of a call, whose `this` is the object, and a part of `a?.b`. */
function leaveOut(node: AnyNode, left: Set<AnyNode>): void {
  switch (node.type) {
    case 'CallExpression':
      left.add(node.callee);
      return;
    case 'TaggedTemplateExpression':
      left.add(node.tag);
      return;
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForInStatement':
    case 'ForOfStatement':
      left.add(node.left);
      return;
    case 'UpdateExpression':
    case 'UnaryExpression':
    case 'RestElement':
      left.add(node.argument);
      return;
    case 'ArrayPattern':
      for (const element of node.elements) if (element) left.add(element);
      return;
    case 'ObjectPattern':
      for (const property of node.properties)
        if (property.type === 'Property') left.add(property.value);
      return;
    case 'ChainExpression': {
      let part: AnyNode | undefined = node.expression;
      while (part?.type === 'MemberExpression' || part?.type === 'CallExpression') {
        left.add(part);
        part = part.type === 'MemberExpression' ? part.object : part.callee;
      }
    }
  }
}

/** `const { location } = window`. */
function takesLocation(pattern: AnyNode): boolean {
  if (pattern.type !== 'ObjectPattern') return false;
  if (pattern.properties.some(({ type }) => type === 'RestElement')) return false;
  return pattern.properties.some(
    (property) =>
      property.type === 'Property' &&
      !property.computed &&
      property.key.type === 'Identifier' &&
      property.key.name === name,
  );
}
