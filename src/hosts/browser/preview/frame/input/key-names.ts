// The names of keys, alone or with others: `Enter`, `a`, `Control+Shift+K`.
import type { PreviewModifier } from '../../../../../core/host-ports/preview.ts';

/** A key, and what is held with it. */
export interface Chord {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly modifiers: readonly PreviewModifier[];
}

/** What other programs call them. */
const otherNames: Readonly<Record<string, string>> = {
  alt: 'Alt',
  cmd: 'Meta',
  command: 'Meta',
  control: 'Control',
  controlormeta: 'Control',
  ctrl: 'Control',
  del: 'Delete',
  down: 'ArrowDown',
  esc: 'Escape',
  left: 'ArrowLeft',
  meta: 'Meta',
  option: 'Alt',
  page_down: 'PageDown',
  page_up: 'PageUp',
  return: 'Enter',
  right: 'ArrowRight',
  shift: 'Shift',
  space: ' ',
  spacebar: ' ',
  up: 'ArrowUp',
};

/** `code` and `keyCode` of keys with names. */
const named: Readonly<Record<string, readonly [code: string, keyCode: number]>> = {
  Alt: ['AltLeft', 18],
  ArrowDown: ['ArrowDown', 40],
  ArrowLeft: ['ArrowLeft', 37],
  ArrowRight: ['ArrowRight', 39],
  ArrowUp: ['ArrowUp', 38],
  Backspace: ['Backspace', 8],
  CapsLock: ['CapsLock', 20],
  ContextMenu: ['ContextMenu', 93],
  Control: ['ControlLeft', 17],
  Delete: ['Delete', 46],
  End: ['End', 35],
  Enter: ['Enter', 13],
  Escape: ['Escape', 27],
  Home: ['Home', 36],
  Insert: ['Insert', 45],
  Meta: ['MetaLeft', 91],
  PageDown: ['PageDown', 34],
  PageUp: ['PageUp', 33],
  Shift: ['ShiftLeft', 16],
  Tab: ['Tab', 9],
  ' ': ['Space', 32],
};

/** `code` and `keyCode` of the signs of an English keyboard, without Shift and with it. */
const signs: readonly (readonly [signs: string, code: string, keyCode: number])[] = [
  ['-_', 'Minus', 189],
  ['=+', 'Equal', 187],
  ['[{', 'BracketLeft', 219],
  [']}', 'BracketRight', 221],
  ['\\|', 'Backslash', 220],
  [';:', 'Semicolon', 186],
  [`'"`, 'Quote', 222],
  [',<', 'Comma', 188],
  ['.>', 'Period', 190],
  ['/?', 'Slash', 191],
  ['`~', 'Backquote', 192],
];
const overDigits = ')!@#$%^&*(';

const isModifier = (name: string): name is PreviewModifier =>
  /^(?:Alt|Control|Meta|Shift)$/.test(name);

/** @throws Error if there is no such key */
export function readChord(text: string): Chord {
  // The key may be `+` itself.
  const parts = [...text.slice(0, -1).split('+'), text.slice(-1)];
  const joined = parts.at(-1) === '+' ? parts : text.split('+');
  const names = joined.filter((name) => name !== '').map(toName);
  const key = names.at(-1) ?? ' ';
  const modifiers = names.slice(0, -1).filter(isModifier);
  if (modifiers.length !== names.length - 1) throw refuse(text);
  const isShifted = modifiers.includes('Shift') && key.length === 1;
  const shown = isShifted ? key.toUpperCase() : key;
  const [code, keyCode] = findCode(key) ?? fail(text);
  return { key: shown, code, keyCode, modifiers };
}

function toName(name: string): string {
  if ([...name].length === 1) return name;
  const lower = name.toLowerCase();
  const known = Object.keys(named).find((one) => one.toLowerCase() === lower);
  return otherNames[lower] ?? known ?? (/^f\d+$/.test(lower) ? name.toUpperCase() : name);
}

function findCode(key: string): readonly [code: string, keyCode: number] | undefined {
  const own = named[key];
  if (own) return own;
  const [, digits] = /^F([1-9]|1[0-2])$/.exec(key) ?? [];
  if (digits !== undefined) return [key, 111 + Number(digits)];
  if ([...key].length !== 1) return undefined;
  if (/^[a-z]$/i.test(key)) return [`Key${key.toUpperCase()}`, key.toUpperCase().charCodeAt(0)];
  const digit = /^\d$/.test(key) ? Number(key) : overDigits.indexOf(key);
  if (digit >= 0) return [`Digit${digit}`, 48 + digit];
  const sign = signs.find(([both]) => both.includes(key));
  // Another script's letters are on other keyboards.
  return sign ? [sign[1], sign[2]] : ['', 0];
}

function refuse(text: string): Error {
  return new Error(
    `There is no key ${JSON.stringify(text)}. Name one as Enter, ArrowDown, a or F2 are, also with others: Control+a.`,
  );
}

function fail(text: string): never {
  throw refuse(text);
}
