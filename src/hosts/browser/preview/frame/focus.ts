// Which element has the focus. WebKit gives it to none in a frame like this one before a person has
// clicked there. Then it is the element that was acted on last.
let given: WeakRef<HTMLElement> | undefined;

export function giveFocus(element: HTMLElement): void {
  if (element.tabIndex >= 0) given = new WeakRef(element);
  element.focus({ preventScroll: true });
}

/** Undefined for the body alone. */
export function findFocused(): Element | undefined {
  const { activeElement, body } = document;
  if (activeElement && activeElement !== body) return activeElement;
  const element = given?.deref();
  // Where the page could have it, the app has taken it away.
  return element?.isConnected && !document.hasFocus() ? element : undefined;
}
