// The page's style sheets as text, as they hold at the moment.
import { rewriteSelector, splitList, type Scope } from './selectors.ts';

/** A document or shadow root. */
export type StyledRoot = Document | ShadowRoot;

/** The sheets of a document or shadow root that hold. */
export function listSheets(root: StyledRoot): readonly CSSStyleSheet[] {
  const all = [...root.styleSheets, ...root.adoptedStyleSheets];
  return all.filter(({ disabled, media }) => !disabled && holds(media));
}

/** The text of all sheets of a document or shadow root that hold. */
export function copyStyles(root: StyledRoot, scope: Scope): string {
  return listSheets(root)
    .map(({ cssRules }) => writeRules(cssRules, scope))
    .join('\n');
}

/** All style rules, by one selector each that needs no other rule. */
export function* listRules(
  rules: CSSRuleList,
  around = '',
): Generator<{ readonly selector: string; readonly style: CSSStyleDeclaration }> {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const { selectorText, style, cssRules } = rule;
      const whole = around === '' ? selectorText : selectorText.replaceAll('&', `:is(${around})`);
      for (const selector of splitList(whole)) yield { selector: selector.trim(), style };
      yield* listRules(cssRules, whole);
    } else if (rule instanceof CSSGroupingRule) yield* listRules(rule.cssRules, around);
  }
}

/** The image has another viewport than the page, so the page says which conditions hold. */
function holds({ mediaText }: MediaList): boolean {
  return mediaText === '' || matchMedia(mediaText).matches;
}

function writeRules(rules: CSSRuleList, scope: Scope): string {
  return [...rules].map((rule) => writeRule(rule, scope)).join('\n');
}

// Animations are stopped, and the image has one page.
const left =
  /^@(?:import|keyframes|-webkit-keyframes|namespace|page|starting-style|view-transition)/;

function writeRule(rule: CSSRule, scope: Scope): string {
  if (rule instanceof CSSStyleRule) {
    const { selectorText, style, cssRules } = rule;
    return `${rewriteSelector(selectorText, scope)} { ${style.cssText} ${writeRules(cssRules, scope)} }`;
  }
  const { cssText } = rule;
  if (left.test(cssText)) return '';
  if (rule instanceof CSSMediaRule) {
    return holds(rule.media) ? writeRules(rule.cssRules, scope) : '';
  }
  if (!(rule instanceof CSSGroupingRule)) return cssText;
  return `${cssText.slice(0, cssText.indexOf('{'))}{ ${writeRules(rule.cssRules, scope)} }`;
}
