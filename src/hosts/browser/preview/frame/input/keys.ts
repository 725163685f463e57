// Presses keys by synthetic events. A browser does nothing by itself for those, so its usual default actions are
// done here: writing, choosing, sending a form, moving the focus, closing dialogs and scrolling.
import type { PreviewModifier } from '../../../../../core/host-ports/preview.ts';
import { scroll } from '../screen/scroll.ts';
import { later } from '../screen/view.ts';
import { chooseOption, edit, tellChange } from './fields.ts';
import { giveFocus } from './focus.ts';
import { readChord, type Chord } from './key-names.ts';

// 30 ms: about how often a browser repeats a key that is held.
const repeatMs = 30;
const msPerSecond = 1_000;

/** @throws Error if there is no such key */
export async function press(target: Element, text: string, time = 0): Promise<void> {
  const chord = readChord(text);
  if (target instanceof HTMLElement) giveFocus(target);
  const { modifiers } = chord;
  const held: PreviewModifier[] = [];
  for (const key of modifiers) {
    held.push(key);
    send(target, 'keydown', { ...readChord(key), modifiers: held });
  }
  pressDown(target, chord);
  for (let spent = 0; spent < time * msPerSecond; spent += repeatMs) {
    await later(repeatMs);
    pressDown(target, chord, true);
  }
  // The page may have moved the focus by it.
  const last = target.isConnected ? target : document.body;
  const isKept = send(last, 'keyup', chord);
  if (isKept && chord.key === ' ' && isPlain(chord) && last.matches(clickedBySpace)) clickOn(last);
  while (held.length > 0) {
    const key = held.pop() as PreviewModifier;
    send(last, 'keyup', { ...readChord(key), modifiers: held });
  }
}

function pressDown(target: Element, chord: Chord, repeat = false): void {
  const at = target.isConnected ? target : document.body;
  if (!send(at, 'keydown', chord, repeat)) return;
  const isWriting = isPlain(chord) && (chord.key.length === 1 || chord.key === 'Enter');
  if (isWriting && !send(at, 'keypress', chord, repeat)) return;
  doByItself(at, chord);
}

function send(target: Element, name: string, chord: Chord, repeat = false): boolean {
  const { key, code, keyCode, modifiers } = chord;
  const init = {
    ...{
      bubbles: true,
      cancelable: true,
      composed: true,
      view: window,
      key,
      code,
      keyCode,
      repeat,
    },
    ...{ ctrlKey: modifiers.includes('Control'), shiftKey: modifiers.includes('Shift') },
    ...{ altKey: modifiers.includes('Alt'), metaKey: modifiers.includes('Meta') },
  };
  return target.dispatchEvent(new KeyboardEvent(name, init));
}

/** True if the key writes what its name says. */
const isPlain = ({ modifiers }: Chord) => modifiers.every((name) => name === 'Shift');

const clickedBySpace =
  'button, summary, input:is([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=color])';
const clickedByEnter =
  'button, summary, a[href], input:is([type=button], [type=submit], [type=reset], [type=file])';
const focusable =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [contenteditable=""], [contenteditable=true], [tabindex]';

function clickOn(element: Element): void {
  if (element instanceof HTMLElement) element.click();
}

function doByItself(target: Element, chord: Chord): void {
  const { key, modifiers } = chord;
  const isShifted = modifiers.includes('Shift');
  if (!isPlain(chord)) {
    if (modifiers.length === 1 && /^(?:Control|Meta)$/.test(modifiers[0] ?? ''))
      doShortcut(target, chord);
  } else if (key === 'Tab') moveFocus(target, isShifted ? -1 : 1);
  else if (key === 'Escape') closeTop();
  else if (isWritable(target)) write(target, key, isShifted);
  else if (key === 'Enter' && target.matches(clickedByEnter)) clickOn(target);
  else if (key === 'Enter' && target instanceof HTMLInputElement) submit(target.form);
  else if (key.startsWith('Arrow') && choosesByArrow(target))
    step(target, /Up|Left/.test(key) ? -1 : 1, key);
  else if (!(key === ' ' && target.matches(clickedBySpace))) scrollBy(target, key, isShifted);
}

function doShortcut(target: Element, { code }: Chord): void {
  if (code === 'KeyA') {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (isField) target.select();
    else document.execCommand('selectAll');
  } else if (code === 'KeyZ' && isWritable(target)) document.execCommand('undo');
}

const unwritten = /^(?:checkbox|radio|button|submit|reset|image|file|range|color)$/;

function isWritable(target: Element): target is HTMLElement {
  if (target instanceof HTMLTextAreaElement) return !target.readOnly;
  if (target instanceof HTMLInputElement) return !unwritten.test(target.type) && !target.readOnly;
  return target instanceof HTMLElement && target.isContentEditable;
}

const moves: Readonly<Record<string, readonly [direction: string, granularity: string]>> = {
  ArrowLeft: ['left', 'character'],
  ArrowRight: ['right', 'character'],
  ArrowUp: ['backward', 'line'],
  ArrowDown: ['forward', 'line'],
  Home: ['backward', 'lineboundary'],
  End: ['forward', 'lineboundary'],
};

function write(field: HTMLElement, key: string, isShifted: boolean): void {
  const move = moves[key];
  if (
    field instanceof HTMLInputElement &&
    field.type === 'number' &&
    /^Arrow(?:Up|Down)$/.test(key)
  ) {
    step(field, key === 'ArrowUp' ? 1 : -1, key);
  } else if (move) {
    if (!moveInField(field, key, isShifted)) {
      getSelection()?.modify(isShifted ? 'extend' : 'move', ...move);
    }
  } else if (key === 'Backspace') edit(field, 'deleteContentBackward', 'delete');
  else if (key === 'Delete') edit(field, 'deleteContentForward', 'forwardDelete');
  else if (key === 'Enter' && field instanceof HTMLInputElement) submit(field.form);
  else if (key === 'Enter') {
    const isParagraph = !isShifted && !(field instanceof HTMLTextAreaElement);
    if (isParagraph) edit(field, 'insertParagraph', 'insertParagraph');
    else edit(field, 'insertLineBreak', 'insertLineBreak');
  } else if (key.length === 1) edit(field, 'insertText', 'insertText', key);
}

/** Firefox moves no cursor in a field by the page's selection. Returns false where the field can't say where it is. */
function moveInField(field: HTMLElement, key: string, isShifted: boolean): boolean {
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (!isField || field.selectionStart === null || field.selectionEnd === null) return false;
  const { value, selectionStart, selectionEnd, selectionDirection } = field;
  const isBack = selectionDirection === 'backward';
  const [fixed, at] = isBack ? [selectionEnd, selectionStart] : [selectionStart, selectionEnd];
  // Without Shift, a cursor comes to an end of what was selected.
  const isLeaving = !isShifted && fixed !== at;
  const lineEnd = value.indexOf('\n', at);
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: isLeaving ? selectionStart : Math.max(0, at - 1),
    ArrowRight: isLeaving ? selectionEnd : Math.min(value.length, at + 1),
    Home: at === 0 ? 0 : value.lastIndexOf('\n', at - 1) + 1,
    End: lineEnd < 0 ? value.length : lineEnd,
  };
  const next = places[key];
  if (next === undefined) return false;
  const start = isShifted ? fixed : next;
  field.setSelectionRange(
    Math.min(start, next),
    Math.max(start, next),
    next < start ? 'backward' : 'forward',
  );
  return true;
}

function choosesByArrow(target: Element): target is HTMLInputElement | HTMLSelectElement {
  return (
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && /^(?:radio|range|number)$/.test(target.type))
  );
}

function step(field: HTMLInputElement | HTMLSelectElement, by: number, key: string): void {
  if (field instanceof HTMLSelectElement) {
    const option = field.options[field.selectedIndex + by];
    if (option && !option.disabled) chooseOption(option, false);
  } else if (field.type === 'radio') {
    const group = [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')].filter(
      (one) => one.name === field.name && one.form === field.form && !one.disabled,
    );
    const next = group[(group.indexOf(field) + by + group.length) % group.length];
    if (!next) return;
    giveFocus(next);
    next.click();
  } else {
    // Up is more, and down is less.
    const isMore = /Up|Right/.test(key);
    if (isMore) field.stepUp();
    else field.stepDown();
    tellChange(field);
  }
}

function moveFocus(from: Element, by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(focusable)].filter(
    (one) =>
      one.tabIndex >= 0 &&
      !one.matches(':disabled') &&
      one.checkVisibility({ visibilityProperty: true }) &&
      !one.closest('[inert]'),
  );
  const modal = [...document.querySelectorAll(':modal')].at(-1);
  const within = modal ? all.filter((one) => modal.contains(one)) : all;
  const at = within.indexOf(from as HTMLElement);
  const next = within.at((at < 0 && by < 0 ? 0 : at + by) % within.length);
  if (next) giveFocus(next);
}

/** The topmost dialog or popover, as Escape does. */
function closeTop(): void {
  const popover = [
    ...document.querySelectorAll<HTMLElement>('[popover]:not([popover=manual])'),
  ].findLast((one) => one.matches(':popover-open'));
  if (popover) {
    popover.hidePopover();
    return;
  }
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
}

function scrollBy(target: Element, key: string, isShifted: boolean): void {
  const line = 40;
  const end = 1_000_000_000;
  const ways: Readonly<Record<string, readonly ['up' | 'down' | 'left' | 'right', number?]>> = {
    ArrowUp: ['up', line],
    ArrowDown: ['down', line],
    ArrowLeft: ['left', line],
    ArrowRight: ['right', line],
    PageUp: ['up'],
    PageDown: ['down'],
    Home: ['up', end],
    End: ['down', end],
    ' ': [isShifted ? 'up' : 'down'],
  };
  const way = ways[key];
  if (!way) return;
  const [direction, amount] = way;
  const isAll = target === document.body || target === document.documentElement;
  scroll(
    { type: 'scroll', direction, ...(amount !== undefined && { amount }) },
    {
      ...(!isAll && { element: target }),
      isKey: true,
    },
  );
}

function submit(form: HTMLFormElement | null): void {
  if (!form) return;
  const button = form.querySelector<HTMLElement>(
    'button:not([type=button], [type=reset]), input[type=submit]',
  );
  if (button) button.click();
  else form.requestSubmit();
}
