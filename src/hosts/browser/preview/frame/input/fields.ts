// Fills fields: text, options, files.
import type { FrameUpload } from '../messages.ts';
import { giveFocus } from './focus.ts';

const bubbling = { bubbles: true, cancelable: true, composed: true } as const;
const notTyped = /^(?:checkbox|radio|button|submit|reset|image|file)$/;

/** @throws Error whose message tells the model what to do instead */
export function type(element: Element, ref: string, text: string): void {
  if (element instanceof HTMLElement) giveFocus(element);
  if (element instanceof HTMLSelectElement) choose(element, ref, text);
  else if (element instanceof HTMLInputElement && notTyped.test(element.type)) {
    const instead = element.type === 'file' ? 'Give it files by upload.' : 'Click it.';
    throw new Error(
      `The element ${ref} is of the type ${element.type}, which takes no text. ${instead}`,
    );
  } else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    setValue(element, text);
    tellChange(element, text);
  } else if (element instanceof HTMLElement && element.isContentEditable) {
    getSelection()?.selectAllChildren(element);
    // An editor of the app's own keeps its document by these events, and not by the page's elements.
    if (text === '') edit(element, 'deleteContentBackward', 'delete');
    else edit(element, 'insertText', 'insertText', text);
  } else
    throw new Error(`The element ${ref} is no field. Take the ref of a textbox or a combobox.`);
}

/** Changes what is selected in the focused field, as a key does, unless the app prevents it. */
export function edit(
  element: Element,
  inputType: string,
  command: string,
  data: string | null = null,
): void {
  const before = new InputEvent('beforeinput', { ...bubbling, inputType, data });
  if (!element.dispatchEvent(before)) return;
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  // WebKit gives such a frame no focus, and edits nothing without one.
  if (isField && document.activeElement !== element) editField(element, inputType, data);
  else document.execCommand(command, false, data ?? '');
}

function editField(
  field: HTMLInputElement | HTMLTextAreaElement,
  inputType: string,
  data: string | null,
): void {
  const { value } = field;
  const [start, end] = [field.selectionStart ?? value.length, field.selectionEnd ?? value.length];
  const isEmpty = start === end;
  const from = isEmpty && inputType === 'deleteContentBackward' ? Math.max(0, start - 1) : start;
  const to = isEmpty && inputType === 'deleteContentForward' ? end + 1 : end;
  const text = inputType === 'insertLineBreak' ? '\n' : (data ?? '');
  setValue(field, value.slice(0, from) + text + value.slice(to));
  if (field.selectionStart !== null)
    field.setSelectionRange(from + text.length, from + text.length);
  field.dispatchEvent(new InputEvent('input', { ...bubbling, inputType, data }));
}

/** By the setter of the prototype, because frameworks override that of the element. */
function setValue(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const prototype = Object.getPrototypeOf(field) as object;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text);
}

export function tellChange(element: Element, data: string | null = null): void {
  const init = { ...bubbling, data, inputType: 'insertText' };
  element.dispatchEvent(new InputEvent('input', init));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

function choose(list: HTMLSelectElement, ref: string, text: string): void {
  const option = [...list.options].find(({ label, value }) => label === text || value === text);
  if (option) {
    chooseOption(option, false);
    return;
  }
  const there = [...list.options].map(({ label }) => JSON.stringify(label)).join(', ');
  throw new Error(`The element ${ref} has no option ${JSON.stringify(text)}. There is ${there}.`);
}

/** `isAdded`: in a list of several, the others stay chosen, and a chosen one is no longer. */
export function chooseOption(option: HTMLOptionElement, isAdded: boolean): void {
  const list = option.closest('select');
  if (!list) return;
  if (list.multiple && isAdded) option.selected = !option.selected;
  else {
    for (const one of list.selectedOptions) if (one !== option) one.selected = false;
    option.selected = true;
  }
  tellChange(list);
}

/** To a field of files, to that of a label or button, or else by dropping. */
export function upload(element: Element, ref: string, uploads: readonly FrameUpload[]): void {
  const data = new DataTransfer();
  for (const { name, bytes, mediaType } of uploads) {
    data.items.add(new File([bytes], name, { type: mediaType }));
  }
  const field = findFileField(element);
  if (!field) {
    const dropped = ['dragenter', 'dragover'].map((name) =>
      element.dispatchEvent(new DragEvent(name, { ...bubbling, dataTransfer: data })),
    );
    // An element that takes nothing doesn't prevent the browser's own handling.
    if (dropped.every(Boolean)) {
      throw new Error(
        `The element ${ref} takes no files: it is no field of files, and nothing can be dropped on it.`,
      );
    }
    element.dispatchEvent(new DragEvent('drop', { ...bubbling, dataTransfer: data }));
    return;
  }
  if (uploads.length > 1 && !field.multiple) {
    throw new Error(`The element ${ref} takes one file, and ${uploads.length} were given.`);
  }
  field.files = data.files;
  tellChange(field);
}

function findFileField(element: Element): HTMLInputElement | undefined {
  const label = element.closest('label');
  const candidates = [element, label?.control, ...element.querySelectorAll('input')];
  return candidates.find(
    (one): one is HTMLInputElement => one instanceof HTMLInputElement && one.type === 'file',
  );
}
