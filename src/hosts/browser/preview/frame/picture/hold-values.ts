// Values that no style sheet of the copy could give: they are written for each element, as the page
// has computed them.
import { listRules, listSheets, type StyledRoot } from './copy-styles.ts';
import { splitPseudoElement } from './selectors.ts';

export interface HeldValues {
  /** The number of each element that rules hold for. */
  readonly numbers: ReadonlyMap<Element, number>;
  readonly rules: readonly string[];
}

export const heldAttribute = 'data-shot-held';

/** The properties of an element or of its pseudo-element. */
type Hold = (element: Element, pseudoElement: string, names: Iterable<string>) => void;

export function holdValues(roots: readonly StyledRoot[]): HeldValues {
  const held = new Map<Element, Map<string, Set<string>>>();
  const hold: Hold = (element, pseudoElement, names) => {
    const ofElement = held.get(element) ?? new Map<string, Set<string>>();
    held.set(element, ofElement);
    ofElement.set(pseudoElement, new Set([...(ofElement.get(pseudoElement) ?? []), ...names]));
  };
  holdAnimated(hold);
  holdUnwritten(roots, hold);
  const numbers = new Map<Element, number>();
  const rules = [...held].flatMap(([element, pseudoElements]) => {
    numbers.set(element, numbers.size);
    return [...pseudoElements].map(([pseudoElement, names]) => {
      const style = getComputedStyle(element, pseudoElement);
      const values = [...names].map(
        (name) => `${name}: ${style.getPropertyValue(name)} !important;`,
      );
      return `[${heldAttribute}="${numbers.get(element)}"]${pseudoElement} { ${values.join(' ')} }`;
    });
  });
  return { numbers, rules };
}

/** Animations and transitions at their current place: an image would begin them anew. */
function holdAnimated(hold: Hold): void {
  for (const { effect } of document.getAnimations()) {
    if (!(effect instanceof KeyframeEffect) || !effect.target) continue;
    const names = effect.getKeyframes().flatMap((frame) => Object.keys(frame));
    const animated = names.filter((name) => !ofKeyframe.has(name)).map(toProperty);
    hold(effect.target, effect.pseudoElement ?? '', animated);
  }
}

const ofKeyframe = new Set(['offset', 'computedOffset', 'easing', 'composite']);

function toProperty(name: string): string {
  if (name.startsWith('--')) return name;
  if (name.startsWith('css')) return name.slice('css'.length).toLowerCase();
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * `border: 0 solid var(--a); border-top-width: 1px` has no text in the CSSOM: what a variable gives
 * to a part of a shorthand is written as nothing.
 */
function holdUnwritten(roots: readonly StyledRoot[], hold: Hold): void {
  const known = new Map<CSSStyleSheet, readonly Unwritten[]>();
  for (const root of roots) {
    for (const sheet of listSheets(root)) {
      const all = known.get(sheet) ?? findUnwritten(sheet.cssRules);
      known.set(sheet, all);
      for (const { selector, names } of all) {
        const [head, pseudoElement] = splitPseudoElement(selector);
        // No page tells the computed style of a part or of what is in a slot.
        if (!ownPseudoElement.test(pseudoElement)) continue;
        const found = [...root.querySelectorAll(head === '' ? '*' : head)];
        // A selector finds no host. Its values are right, whether the rule holds for it or not.
        if (root instanceof ShadowRoot && head.includes(':host')) found.push(root.host);
        for (const element of found) hold(element, pseudoElement, names);
      }
    }
  }
}

const ownPseudoElement = /^(?:::?(?:before|after))?$/;

interface Unwritten {
  readonly selector: string;
  readonly names: readonly string[];
}

function findUnwritten(rules: CSSRuleList): readonly Unwritten[] {
  const again = new CSSStyleSheet();
  return [...listRules(rules)].flatMap(({ selector, style }) => {
    const empty = [...style].filter(
      (name) => !name.startsWith('--') && style.getPropertyValue(name) === '',
    );
    if (empty.length === 0) return [];
    again.replaceSync(`a { ${style.cssText} }`);
    const written = new Set((again.cssRules[0] as CSSStyleRule).style);
    const names = empty.filter((name) => !written.has(name));
    return names.length === 0 ? [] : [{ selector, names }];
  });
}
