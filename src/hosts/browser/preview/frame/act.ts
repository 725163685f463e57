// Clicks, types and presses keys in the page by synthetic events. The browser's default actions for
// keys are implemented only for Enter, Space and Tab.
import { findFocused, giveFocus } from './focus.ts';
import type { FrameAction } from './messages.ts';
import { middleOf, scroll } from './screen/scroll.ts';
import type { PageTree } from './tree.ts';
import { comeToSize, findAt } from './screen/view.ts';

/** @throws Error whose message tells the model what to do instead. */
export async function act(action: FrameAction, tree: PageTree): Promise<void> {
  if (action.type === 'click') click(findEnabled(tree, action.ref), action.ref);
  else if (action.type === 'type') type(findEnabled(tree, action.ref), action.ref, action.text);
  else if (action.type === 'press') {
    const { ref, key } = action;
    const target = ref === undefined ? findFocused() : findEnabled(tree, ref);
    press(target instanceof HTMLElement ? target : document.body, key);
  } else if (action.type === 'scroll') {
    const { ref, direction } = action;
    const element = ref === undefined ? undefined : find(tree, ref);
    if (direction) scroll(action, element);
    else element?.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  } else if (action.type === 'resize') await comeToSize(action.width, action.height);
}

function find(tree: PageTree, ref: string): HTMLElement {
  const element = tree.find(ref);
  if (!element) {
    throw new Error(`There is no element ${ref} any more. Read the page, and take a ref of that.`);
  }
  // What a person sees stays where it is.
  if (!isSeen(element)) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  }
  return element;
}

function findEnabled(tree: PageTree, ref: string): HTMLElement {
  const element = find(tree, ref);
  if (element.matches(':disabled')) throw new Error(`The element ${ref} is disabled.`);
  return element;
}

function isSeen(element: HTMLElement): boolean {
  const over = findAt(...middleOf(element));
  return over !== null && isOver(over, element);
}

/** True if a click there is one on the element. */
function isOver(over: Element, element: HTMLElement): boolean {
  return element.contains(over) || over.contains(element) || isLabelOf(over, element);
}

const bubbling = { bubbles: true, cancelable: true, composed: true } as const;

function click(element: HTMLElement, ref: string): void {
  const [clientX, clientY] = middleOf(element);
  const at = { clientX, clientY };
  const over = getRootOf(element).elementFromPoint(at.clientX, at.clientY);
  if (!over)
    throw new Error(`The element ${ref} stands outside of what is to be seen of the page.`);
  if (!isOver(over, element)) {
    throw new Error(
      `The element ${ref} is covered by <${over.localName} class=${JSON.stringify(over.getAttribute('class') ?? '')}>: a person couldn't click it.`,
    );
  }
  const pointer = { ...bubbling, ...at, pointerType: 'mouse', isPrimary: true, button: 0 };
  element.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, buttons: 1 }));
  const isKept = element.dispatchEvent(
    new MouseEvent('mousedown', { ...bubbling, ...at, buttons: 1 }),
  );
  if (isKept) giveFocus(element);
  element.dispatchEvent(new PointerEvent('pointerup', pointer));
  element.dispatchEvent(new MouseEvent('mouseup', { ...bubbling, ...at }));
  element.click();
}

function getRootOf(element: Element): Document | ShadowRoot {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}

function isLabelOf(over: Element, element: HTMLElement): boolean {
  const labels = 'labels' in element ? (element.labels as NodeListOf<HTMLElement> | null) : null;
  return [...(labels ?? [])].some((label) => label.contains(over));
}

const notTyped = /^(?:checkbox|radio|button|submit|reset|image|file)$/;

function type(element: HTMLElement, ref: string, text: string): void {
  giveFocus(element);
  if (element instanceof HTMLSelectElement) choose(element, ref, text);
  else if (element instanceof HTMLInputElement && notTyped.test(element.type)) {
    throw new Error(
      `The element ${ref} is of the type ${element.type}, which takes no text. Click it.`,
    );
  } else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    // The setter of the prototype, because frameworks override that of the element.
    const prototype = Object.getPrototypeOf(element) as object;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, text);
  } else if (element.isContentEditable) element.textContent = text;
  else throw new Error(`The element ${ref} is no field. Take the ref of a textbox or a combobox.`);
  element.dispatchEvent(
    new InputEvent('input', { ...bubbling, data: text, inputType: 'insertText' }),
  );
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

function choose(list: HTMLSelectElement, ref: string, text: string): void {
  const option = [...list.options].find(({ label, value }) => label === text || value === text);
  if (option) {
    list.value = option.value;
    return;
  }
  const there = [...list.options].map(({ label }) => JSON.stringify(label)).join(', ');
  throw new Error(`The element ${ref} has no option ${JSON.stringify(text)}. There is ${there}.`);
}

function press(target: HTMLElement, key: string): void {
  const keyed = { ...bubbling, key, code: key.length === 1 ? '' : key };
  giveFocus(target);
  const isKept = target.dispatchEvent(new KeyboardEvent('keydown', keyed));
  if (isKept) doByItself(target, key);
  target.dispatchEvent(new KeyboardEvent('keyup', keyed));
}

const focusable =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';

/** Implements the browser's default action. */
function doByItself(target: HTMLElement, key: string): void {
  const isButton = target.matches('button, summary, input[type=button], input[type=submit]');
  const isBox = target.matches('input[type=checkbox], input[type=radio]');
  if (key === 'Enter' && (isButton || target.matches('a[href]'))) target.click();
  else if (key === ' ' && (isButton || isBox)) target.click();
  else if (key === 'Enter' && target instanceof HTMLInputElement) submit(target.form);
  else if (key === 'Tab') {
    const all = [...document.querySelectorAll<HTMLElement>(focusable)].filter(
      (one) => !one.matches(':disabled') && one.checkVisibility(),
    );
    const next = all[(all.indexOf(target) + 1) % all.length];
    if (next) giveFocus(next);
  }
}

function submit(form: HTMLFormElement | null): void {
  const button = form?.querySelector<HTMLElement>('button:not([type=button]), input[type=submit]');
  if (button) button.click();
  else form?.requestSubmit();
}
