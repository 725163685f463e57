// Tracks the focused element. In such a frame WebKit doesn't focus any element before a person has
// clicked. The element of the last action then counts.
let given: WeakRef<HTMLElement> | undefined;

export function giveFocus(element: HTMLElement): void {
  if (element.tabIndex >= 0) given = new WeakRef(element);
  element.focus({ preventScroll: true });
}

/** Undefined if only the body has the focus. */
export function findFocused(): Element | undefined {
  const { activeElement, body } = document;
  if (activeElement && activeElement !== body) return activeElement;
  const element = given?.deref();
  // If the page has the focus, the app itself has moved it away from the element.
  return element?.isConnected && !document.hasFocus() ? element : undefined;
}
