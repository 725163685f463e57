// Decides whether the focus may be moved. It must never leave a person who is typing.

/**
 * True for an editor (also one in a shadow root) and for a field with something in it. An empty
 * field isn't being typed into: the composer has focus right after a prompt was sent.
 */
export function isTyping(element: Element | null): boolean {
  const inner = element?.shadowRoot?.activeElement;
  if (inner) return isTyping(inner);
  if (element instanceof HTMLTextAreaElement) return element.value !== '';
  if (element instanceof HTMLInputElement) return isTextual(element) && element.value !== '';
  return element instanceof HTMLElement && element.isContentEditable;
}

function isTextual(input: HTMLInputElement): boolean {
  return !['button', 'checkbox', 'radio', 'range', 'color', 'file', 'submit'].includes(input.type);
}
