// Sticky elements that stand elsewhere than in the flow. The copy isn't scrolled, so it can't have
// them where they are by itself.

import { parentOf } from '../screen/view.ts';

export interface Shift {
  readonly x: number;
  readonly y: number;
}

/**
 * How far each sticky element is from its place in the flow, or in the sticky element around it. `isWhole`: of the page
 * all is shown, so what sticks to its viewport sticks nowhere.
 */
export function findStuck(
  elements: readonly Element[],
  isWhole: boolean,
): ReadonlyMap<Element, Shift> {
  const sticky = elements.filter(
    (one) => getComputedStyle(one).position === 'sticky' && !(isWhole && isInPage(one)),
  );
  if (sticky.length === 0) return new Map();
  const stuck = sticky.map((one) => one.getBoundingClientRect());
  // By sheets: an attribute would be seen by the page's observers. Nothing is painted meanwhile.
  const roots = new Map<Document | ShadowRoot, readonly CSSStyleSheet[]>();
  for (const element of sticky) {
    const root = element.getRootNode() as Document | ShadowRoot;
    if (!roots.has(root)) roots.set(root, [...root.adoptedStyleSheets]);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      `${toPath(element)} { position: relative !important; inset: auto !important; transition: none !important }`,
    );
    root.adoptedStyleSheets.push(sheet);
  }
  const inFlow = sticky.map((one) => one.getBoundingClientRect());
  for (const [root, sheets] of roots) root.adoptedStyleSheets = [...sheets];
  const whole = new Map(
    sticky.map((one, at): [Element, Shift] => {
      const [now, then] = [stuck[at] as DOMRect, inFlow[at] as DOMRect];
      return [one, { x: now.x - then.x, y: now.y - then.y }];
    }),
  );
  return new Map(
    sticky.map((one) => {
      const around = findAround(one, whole);
      const { x, y } = whole.get(one) as Shift;
      return [one, { x: x - around.x, y: y - around.y }];
    }),
  );
}

function findAround(element: Element, shifts: ReadonlyMap<Element, Shift>): Shift {
  for (let around = parentOf(element); around; around = parentOf(around)) {
    const shift = shifts.get(around);
    if (shift) return shift;
  }
  return { x: 0, y: 0 };
}

/** True if no box but the page's own scrolls it. */
function isInPage(element: Element): boolean {
  for (let at = parentOf(element); at && at !== document.body; at = parentOf(at)) {
    if (/auto|scroll|hidden/.test(getComputedStyle(at).overflow)) return false;
  }
  return true;
}

function toPath(element: Element): string {
  const steps: string[] = [];
  let at: Element | null = element;
  while (at) {
    const parent: ParentNode | null = at.parentNode;
    if (!parent || parent === document) break;
    steps.unshift(`:nth-child(${[...parent.children].indexOf(at) + 1})`);
    at = parent instanceof Element ? parent : null;
  }
  return [element.getRootNode() === document ? ':root' : ':host', ...steps].join(' > ');
}
