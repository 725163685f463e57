// Tracks the focused element. In such a frame WebKit doesn't focus any element before a person has
// clicked. The element of the last action then counts.
import { parentOf } from '../screen/view.ts';

let given: WeakRef<HTMLElement> | undefined;

export function giveFocus(element: HTMLElement): void {
  if (element.tabIndex >= 0) given = new WeakRef(element);
  element.focus({ preventScroll: true });
}

/** As a pressed button of the mouse gives it: to the innermost element that takes it, or to none. */
export function giveFocusAt(place: Element): void {
  for (let at: Element | null = place; at; at = parentOf(at)) {
    const isTaking = at instanceof HTMLElement && (at.tabIndex >= 0 || at.hasAttribute('tabindex'));
    if (!isTaking && !(at instanceof SVGElement && at.hasAttribute('tabindex'))) continue;
    if (at instanceof HTMLElement) giveFocus(at);
    else (at as SVGElement).focus({ preventScroll: true });
    return;
  }
  const { activeElement } = document;
  given = undefined;
  if (activeElement instanceof HTMLElement) activeElement.blur();
}

/** Undefined if only the body has the focus. */
export function findFocused(): Element | undefined {
  const { activeElement, body } = document;
  if (activeElement && activeElement !== body) return activeElement;
  const element = given?.deref();
  // If the page has the focus, the app itself has moved it away from the element.
  return element?.isConnected && !document.hasFocus() ? element : undefined;
}

/** The focused element, in shadow trees, too. */
export function findFocusedWithin(): Element | undefined {
  let at = findFocused();
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}
