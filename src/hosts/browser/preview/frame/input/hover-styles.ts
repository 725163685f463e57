// Makes rules with `:hover` hold for the pointer of the model. A page can't set that state, so its rules name an
// attribute as well. Their order and their specificity stay.
import { parentOf } from '../screen/view.ts';

const attribute = 'data-preview-hover';
const named = `:is(:hover, [${attribute}])`;
const inCode = /(?<!\\):hover(?![\w-])/g;

let marked: readonly Element[] = [];

/** The element that the pointer is over; undefined if it is over none. */
export function styleHover(element: Element | undefined): void {
  const roots = new Set<Document | ShadowRoot>([document]);
  const path: Element[] = [];
  for (let at = element ?? null; at; at = parentOf(at)) {
    path.push(at);
    const root = at.getRootNode();
    if (root instanceof ShadowRoot) roots.add(root);
  }
  const isUsed = [...roots].filter(rewriteIn).length > 0;
  const next = isUsed ? path : [];
  for (const one of marked) if (!next.includes(one)) one.removeAttribute(attribute);
  for (const one of next) if (!one.hasAttribute(attribute)) one.setAttribute(attribute, '');
  marked = next;
}

/** Returns true if a rule of the document or shadow root has that state. */
function rewriteIn(root: Document | ShadowRoot): boolean {
  const sheets = [...root.styleSheets, ...root.adoptedStyleSheets];
  return sheets.filter(({ cssRules }) => rewrite(cssRules)).length > 0;
}

function rewrite(rules: CSSRuleList): boolean {
  let isUsed = false;
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule && rule.selectorText.includes(':hover')) {
      isUsed = true;
      const plain = rule.selectorText.replaceAll(named, ':hover');
      const text = plain.replaceAll(inCode, named);
      if (text !== rule.selectorText) rule.selectorText = text;
    }
    if ('cssRules' in rule && rewrite(rule.cssRules as CSSRuleList)) isUsed = true;
  }
  return isUsed;
}
