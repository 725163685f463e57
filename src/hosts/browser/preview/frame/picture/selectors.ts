// Rewrites the selectors of a page's style sheets for the page's copy. The copy is a still image:
// no pointer is over it, nothing in it has the focus, and shadow trees are part of the document.

/** States that the copy can't have by itself. Its elements have an attribute for each. */
const states = [
  'active',
  'any-link',
  'focus',
  'focus-visible',
  'focus-within',
  'hover',
  'link',
  'indeterminate',
  'modal',
  'popover-open',
  'root',
  'target',
  'user-invalid',
  'user-valid',
].filter((name) => CSS.supports(`selector(:${name})`));

const inCode = new RegExp(String.raw`(?<![\\:]):(${states.join('|')}|defined)(?![\w-])`, 'g');

/** The attributes of an element's states in the copy. */
export function statesOf(element: Element): readonly string[] {
  const names = states.filter((name) => element.matches(`:${name}`)).map(toAttribute);
  return element.matches(':defined') ? names : [...names, toAttribute('undefined')];
}

export const toAttribute = (state: string) => `data-shot-${state}`;

/** The attribute of an element in a shadow tree, and of a tree's host. The value names the tree's styles. */
export const treeAttribute = 'data-shot-tree';
export const hostAttribute = 'data-shot-host';

/** Where the rules hold: in all of the document, in what is in no shadow tree, or in one kind of tree. */
export type Scope = 'all' | 'document' | { readonly tree: number };

/** Specificity stays: a state is an attribute, and what is added has none. */
export function rewriteSelector(selector: string, scope: Scope): string {
  return splitList(selector)
    .map((one) => rewriteOne(one.trim(), scope))
    .join(', ');
}

/** The selector without its pseudo-element, and the pseudo-element. */
export function splitPseudoElement(
  selector: string,
): readonly [selector: string, pseudoElement: string] {
  const at = findPseudoElement(selector);
  return [selector.slice(0, at), selector.slice(at)];
}

function rewriteOne(selector: string, scope: Scope): string {
  const [given, tail] = splitPseudoElement(selector);
  const head = given.replaceAll(inCode, (_all, name: string) =>
    name === 'defined' ? `:not([${toAttribute('undefined')}])` : `[${toAttribute(name)}]`,
  );
  if (scope === 'all') return head + tail;
  if (scope === 'document') return `${head}:where(:not([${treeAttribute}]))${rewriteParts(tail)}`;
  return rewriteInTree(head, tail, scope.tree);
}

const argument = String.raw`\(((?:[^()]|\([^()]*\))*)\)`;
const hostPattern = new RegExp(`:host(-context)?(?:${argument})?(?![\\w-])`, 'g');
const slottedPattern = new RegExp(`^::slotted${argument}`);
const partPattern = new RegExp(`^::part${argument}`);

function rewriteInTree(head: string, tail: string, tree: number): string {
  const host = `[${hostAttribute}="${tree}"]`;
  const isHost = /^:host(?![\w-])[^\s>+~]*$/.test(head.replaceAll(/\([^()]*\)/g, ''));
  const local = head.replaceAll(hostPattern, (_all, context?: string, given?: string) => {
    if (given === undefined) return host;
    return context === undefined ? `${host}:is(${given})` : `${host}:is(${given}, :is(${given}) *)`;
  });
  if (isHost) return local + rewriteParts(tail);
  const scoped = `${local}:where([${treeAttribute}="${tree}"])`;
  const [slotted, given] = slottedPattern.exec(tail) ?? [];
  if (slotted === undefined) return scoped + rewriteParts(tail);
  // The copy has what is assigned to a slot as the slot's children.
  return `${scoped} > :is(${given})${tail.slice(slotted.length)}`;
}

/** Parts of a host's tree are elements below it. */
function rewriteParts(tail: string): string {
  return tail.replace(partPattern, (_all, names: string) => {
    const parts = names.trim().split(/\s+/);
    return ` ${parts.map((name) => `[part~="${name}"]`).join('')}`;
  });
}

/** The place of the first pseudo-element, or the end. */
function findPseudoElement(selector: string): number {
  const found = /(?<![\\])::|(?<![\\:]):(?:before|after|first-line|first-letter)(?![\w-])/g;
  for (const { index } of selector.matchAll(found)) {
    if (depthAt(selector, index) === 0) return index;
  }
  return selector.length;
}

/** The selectors of a list. */
export function splitList(selector: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { index } of selector.matchAll(/(?<!\\),/g)) {
    if (depthAt(selector, index) > 0) continue;
    parts.push(selector.slice(from, index));
    from = index + 1;
  }
  return [...parts, selector.slice(from)];
}

/** How many parentheses, brackets and quotes are open there. */
function depthAt(selector: string, end: number): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < end; at += 1) {
    const char = selector.charAt(at);
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '(' || char === '[') depth += 1;
    else if (char === ')' || char === ']') depth -= 1;
  }
  return depth + (quote === '' ? 0 : 1);
}
