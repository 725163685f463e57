// The page as text: one line for each element, as for assistive technology, with a ref for
// interactive elements.
import { findFocused } from './focus.ts';
import { actedOn, clean, nameOf, namedByContent, roleOf } from './roles.ts';
import { isScroller, readRest } from './screen/view.ts';

export interface PageTree {
  write(): string;
  /** Undefined if the last tree has no such ref, or if its element is gone. */
  find(ref: string): HTMLElement | undefined;
}

// 20 000: about 5 000 tokens.
const maxChars = 20_000;

export function createPageTree(): PageTree {
  /** An element keeps its ref as long as it exists. */
  const refs = new WeakMap<Element, string>();
  let elements = new Map<string, WeakRef<HTMLElement>>();
  let last = 0;
  const refOf = (element: HTMLElement) => {
    let ref = refs.get(element);
    if (ref === undefined) {
      last += 1;
      ref = `e${last}`;
      refs.set(element, ref);
    }
    elements.set(ref, new WeakRef(element));
    return ref;
  };

  function write(isWanted: Writer['isWanted']): {
    readonly text: string;
    readonly isWhole: boolean;
  } {
    elements = new Map();
    const lines: string[] = [];
    let chars = 0;
    const add = (depth: number, line: string) => {
      const whole = `${'  '.repeat(depth)}- ${line}`;
      chars += whole.length + 1;
      if (chars <= maxChars) lines.push(whole);
      return chars <= maxChars;
    };
    const isWhole = writeChildren(document.body, 0, { add, refOf, isWanted });
    return { text: lines.join('\n'), isWhole };
  }

  return {
    write() {
      const whole = write(() => true);
      if (whole.isWhole) return whole.text;
      const shown = write(isShown);
      const rest = shown.isWhole ? longPage : `${longPage} Of that, too, the rest is left out.`;
      return `${shown.text}\n- (${rest})`;
    },
    find(ref) {
      const element = elements.get(ref)?.deref();
      return element?.isConnected ? element : undefined;
    },
  };
}

interface Writer {
  /** Returns false if there is no more room. */
  add(depth: number, line: string): boolean;
  refOf(element: HTMLElement): string;
  isWanted(element: Element): boolean;
}

const longPage =
  'The page is too long for a list. So only what is on the screen is listed: scroll to see more.';

/** True if a part of it is on the screen. */
function isShown(element: Element): boolean {
  const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
  // What has no box may have content with one.
  if (width === 0 || height === 0) return true;
  return bottom > 0 && top < window.innerHeight && right > 0 && left < window.innerWidth;
}

const unseen = new Set(['script', 'style', 'template', 'noscript', 'head', 'source', 'title']);

function childrenOf(element: Element): readonly Node[] {
  if (element.shadowRoot) return [...element.shadowRoot.childNodes];
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes({ flatten: true });
    if (assigned.length > 0) return assigned;
  }
  return [...element.childNodes];
}

function writeChildren(parent: Element, depth: number, writer: Writer): boolean {
  let text = '';
  const flush = () => {
    const line = clean(text);
    text = '';
    return line === '' || writer.add(depth, `text: ${line}`);
  };
  for (const node of childrenOf(parent)) {
    if (node instanceof Text) text += node.data;
    else if (node instanceof HTMLElement || node instanceof SVGElement) {
      // Inline markup is part of the surrounding text.
      if (isInline(node)) text += node.textContent ?? '';
      else if (!flush() || !writeElement(node, depth, writer)) return false;
    }
  }
  return flush();
}

const marks = new Set([
  'b',
  'i',
  'em',
  'strong',
  'span',
  'code',
  'small',
  'sub',
  'sup',
  'mark',
  'br',
]);

function isInline(element: Element): boolean {
  const isPlain = marks.has(element.localName) && element.childElementCount === 0;
  return isPlain && roleOf(element) === undefined && isVisible(element) && !isActedOn(element);
}

function writeElement(element: HTMLElement | SVGElement, depth: number, writer: Writer): boolean {
  if (unseen.has(element.localName) || !isVisible(element) || !writer.isWanted(element))
    return true;
  const isBox = !isField(element) && (isScroller(element, 'y') || isScroller(element, 'x'));
  const role = roleOf(element) ?? (isBox ? 'scrollable' : undefined);
  const isActed = isBox || (role !== undefined && actedOn.has(role)) || isActedOn(element);
  if (role === undefined && !isActed) return writeChildren(element, depth, writer);
  const shownRole = role ?? 'clickable';
  const isNamedByContent = namedByContent.has(shownRole) || role === undefined;
  const name = nameOf(element, isNamedByContent ? 'button' : role);
  const ref = isActed && element instanceof HTMLElement ? [`ref=${writer.refOf(element)}`] : [];
  const facts = [...statesOf(element), ...(isBox ? restOf(element) : []), ...ref]
    .map((fact) => ` [${fact}]`)
    .join('');
  const content = isOnlyText(element) ? clean(element.textContent ?? '') : '';
  const tail = content !== '' && !isNamedByContent ? `: ${content}` : '';
  const line = `${shownRole}${name === '' ? '' : ` ${JSON.stringify(name)}`}${facts}${tail}`;
  if (!writer.add(depth, line)) return false;
  if (tail !== '' || element instanceof SVGElement) return true;
  if (isNamedByContent && !isBox && !element.querySelector('a, button, input, select, textarea'))
    return true;
  return writeChildren(element, depth + 1, writer);
}

/** How many pixels of its content are outside of its box. */
function restOf(element: Element): string[] {
  return Object.entries(readRest(element)).flatMap(([side, pixels]) =>
    pixels > 0 ? [`${side}=${pixels}`] : [],
  );
}

function isOnlyText(element: Element): boolean {
  return element.shadowRoot === null && [...element.children].every(isInline);
}

function isVisible(element: Element): boolean {
  if (element.getAttribute('aria-hidden') === 'true') return false;
  // An option element has no box of its own.
  if (element instanceof HTMLOptionElement) return true;
  const { display } = getComputedStyle(element);
  if (display === 'contents') return true;
  return element.checkVisibility({ visibilityProperty: true });
}

/** True if the app has made it clickable without a role. */
function isActedOn(element: Element): boolean {
  if (element.hasAttribute('onclick') || element.hasAttribute('tabindex')) return true;
  const isHand = (one: Element | null) =>
    one !== null && getComputedStyle(one).cursor === 'pointer';
  // Content of a label or link is clicked together with it.
  return isHand(element) && !isHand(element.parentElement) && element.localName !== 'label';
}

function statesOf(element: Element): string[] {
  const is = (name: string) => element.getAttribute(`aria-${name}`);
  const states: string[] = [];
  const level = /^h([1-6])$/.exec(element.localName)?.[1] ?? is('level');
  if (level) states.push(`level=${level}`);
  if (element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type)) {
    if (element.checked) states.push('checked');
  } else if (isField(element) && element.value !== '' && roleOf(element) !== 'button') {
    states.push(`value=${JSON.stringify(clean(valueOf(element)))}`);
  }
  if (element instanceof HTMLOptionElement && element.selected) states.push('selected');
  if (is('checked') === 'true' || is('pressed') === 'true') states.push('checked');
  if (is('selected') === 'true') states.push('selected');
  if (is('expanded') !== null) states.push(is('expanded') === 'true' ? 'expanded' : 'collapsed');
  if (is('current') !== null && is('current') !== 'false') states.push('current');
  if (element.matches(':disabled') || is('disabled') === 'true') states.push('disabled');
  if (element.matches(':focus') || element === findFocused()) states.push('focused');
  return states;
}

function isField(
  element: Element,
): element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

function valueOf(field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): string {
  if (field instanceof HTMLSelectElement) {
    return [...field.selectedOptions].map(({ label }) => label).join(', ');
  }
  // A password isn't revealed.
  return field.type === 'password' ? '•'.repeat(field.value.length) : field.value;
}
