// The page as text: one line for each element, as for assistive technology, with a ref for
// interactive elements.
import { findFocused } from './input/focus.ts';
import { actedOn, clean, nameOf, namedByContent, roleOf, shorten } from './roles.ts';
import { isScroller, readRest } from './screen/view.ts';

export interface PageTree {
  write(wanted: TreeWanted): string;
  /** The lines that have the text, in any case. */
  search(text: string): string;
  /** True if a line has the text. */
  has(text: string): boolean;
  /** Undefined if no list had such a ref, or if its element is gone. */
  find(ref: string): Element | undefined;
}

export interface TreeWanted {
  /** Lists only what has a ref, without what is around it. */
  readonly isInteractive: boolean;
  /** Left out: the whole page. */
  readonly root?: Element;
}

// 20 000: about 5 000 tokens.
const maxChars = 20_000;

export function createPageTree(): PageTree {
  /** An element keeps its ref as long as it exists. */
  const refs = new WeakMap<Element, string>();
  const elements = new Map<string, WeakRef<Element>>();
  let last = 0;
  const refOf = (element: Element) => {
    let ref = refs.get(element);
    if (ref === undefined) {
      last += 1;
      ref = `e${last}`;
      refs.set(element, ref);
    }
    elements.set(ref, new WeakRef(element));
    return ref;
  };

  /** What is gone needs no entry. */
  function forgetGone(): void {
    for (const [ref, element] of elements) {
      if (!element.deref()?.isConnected) elements.delete(ref);
    }
  }

  function write({ isInteractive, root }: TreeWanted, isWanted: Writer['isWanted']): Written {
    forgetGone();
    const lines: string[] = [];
    let chars = 0;
    const add: Writer['add'] = (depth, line, isActed) => {
      if (isInteractive && !isActed) return true;
      const whole = `${'  '.repeat(isInteractive ? 0 : depth)}- ${line}`;
      chars += whole.length + 1;
      if (chars <= maxChars) lines.push(whole);
      return chars <= maxChars;
    };
    const writer = { add, refOf, isWanted, shorten };
    const isListed = root instanceof HTMLElement || root instanceof SVGElement;
    const isWhole = isListed
      ? writeElement(root, 0, writer)
      : writeChildren(document.body, 0, writer);
    return { text: lines.join('\n'), isWhole };
  }

  function find(wanted: string, toRef: Writer['refOf']): readonly string[] {
    const found: string[] = [];
    const plain = clean(wanted).toLowerCase();
    const add: Writer['add'] = (_depth, line) => {
      // A quote within a name is written as in JSON.
      const text = line.replaceAll('\\"', '"').toLowerCase();
      if (text.includes(plain)) found.push(line);
      return true;
    };
    writeChildren(document.body, 0, { add, refOf: toRef, isWanted: () => true, shorten: String });
    return found;
  }

  return {
    write(wanted) {
      const whole = write(wanted, () => true);
      if (whole.isWhole) return whole.text;
      const shown = write(wanted, isShown);
      const rest = shown.isWhole ? longPage : `${longPage} Of that, too, the rest is left out.`;
      return `${shown.text}\n- (${rest})`;
    },
    search(text) {
      forgetGone();
      const lines: string[] = [];
      let chars = 0;
      const found = find(text, refOf);
      for (const line of found) {
        const whole = `- ${line.length > maxFound ? `${line.slice(0, maxFound)}…` : line}`;
        chars += whole.length + 1;
        if (chars > maxChars) break;
        lines.push(whole);
      }
      if (found.length === 0)
        return `- (Nothing on the page has the text ${JSON.stringify(text)}.)`;
      const left = found.length - lines.length;
      return [...lines, ...(left > 0 ? [`- (${left} more are left out.)`] : [])].join('\n');
    },
    // It gives no refs, because nobody sees them.
    has: (text) => find(text, () => '').length > 0,
    find(ref) {
      const element = elements.get(ref)?.deref();
      return element?.isConnected ? element : undefined;
    },
  };
}

// 1 000: a longer line of what was found is an article.
const maxFound = 1_000;

interface Written {
  readonly text: string;
  readonly isWhole: boolean;
}

interface Writer {
  /** Returns false if there is no more room. `isActed`: the line has a ref. */
  add(depth: number, line: string, isActed?: boolean): boolean;
  refOf(element: Element): string;
  isWanted(element: Element): boolean;
  /** What is written of a name or a text. */
  shorten(line: string): string;
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

const unseen = new Set([
  ...['script', 'style', 'template', 'noscript', 'head', 'source', 'title'],
  // Of an SVG image.
  ...['defs', 'desc', 'metadata', 'clipPath', 'mask', 'symbol'],
]);

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
    const line = writer.shorten(clean(text));
    text = '';
    return line === '' || writer.add(depth, `text: ${line}`);
  };
  for (const node of childrenOf(parent)) {
    if (node instanceof Text) text += node.data;
    else if (node instanceof HTMLElement || node instanceof SVGElement) {
      // Inline markup is part of the surrounding text.
      if (isInline(node)) text += inlineTextOf(node);
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

/** What stands in a line of its own, as a `span` may by its style, isn't one word with what is beside it. */
function inlineTextOf(element: Element): string {
  if (isDrawn(element)) return ` ${drawnTextOf(element)} `;
  const text = element.textContent ?? '';
  const isInLine = getComputedStyle(element).display.startsWith('inline');
  return isInLine && element.localName !== 'br' ? text : ` ${text} `;
}

/** A part of an SVG image, without its parts of HTML. */
function isDrawn(element: Element): boolean {
  return element instanceof SVGElement && element.ownerSVGElement !== null;
}

/** All texts of a part of an image are one, for the axes of charts. */
function drawnTextOf(element: Element): string {
  if (unseen.has(element.localName) || !isVisible(element)) return '';
  if (element.localName === 'text') return element.textContent ?? '';
  return [...element.children].map(drawnTextOf).join(' ');
}

/** True if nothing in a part of an SVG image can be acted on. */
function isOnlyDrawn(element: Element): boolean {
  if (!isDrawn(element) || element.localName === 'foreignObject') return false;
  if (roleOf(element) !== undefined || isActedOn(element)) return false;
  return [...element.children].every(isOnlyDrawn);
}

function isInline(element: Element): boolean {
  if (isDrawn(element)) return isOnlyDrawn(element);
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
  const name = writer.shorten(nameOf(element, isNamedByContent ? 'button' : role));
  const ref = isActed ? [`ref=${writer.refOf(element)}`] : [];
  const facts = [...statesOf(element, writer), ...(isBox ? restOf(element) : []), ...ref]
    .map((fact) => ` [${fact}]`)
    .join('');
  const content = isOnlyText(element) ? writer.shorten(clean(textOf(element))) : '';
  const tail = content !== '' && !isNamedByContent ? `: ${content}` : '';
  const line = `${shownRole}${name === '' ? '' : ` ${JSON.stringify(name)}`}${facts}${tail}`;
  if (!writer.add(depth, line, isActed)) return false;
  if (tail !== '' || element instanceof HTMLTextAreaElement) return true;
  if (isNamedByContent && !isBox && !element.querySelector(actedOnWithin)) return true;
  return writeChildren(element, depth + 1, writer);
}

/** What isn't part of a name: it is listed itself. An editor's field is one within a box that takes the focus. */
const actedOnWithin =
  'a, button, input, select, textarea, summary, [contenteditable], [onclick], [role=textbox], [tabindex]:not([tabindex="-1"])';

/** How many pixels of its content are outside of its box. */
function restOf(element: Element): string[] {
  return Object.entries(readRest(element)).flatMap(([side, pixels]) =>
    pixels > 0 ? [`${side}=${pixels}`] : [],
  );
}

/** A field's text is its value, which is a state. */
function textOf(element: Element): string {
  if (isField(element)) return '';
  const parts = [...element.childNodes].map((node) =>
    node instanceof Element ? inlineTextOf(node) : (node.textContent ?? ''),
  );
  return parts.join('');
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
  if (element.hasAttribute('onclick')) return true;
  // Libraries give -1 to parts of an image that do nothing.
  if (
    isDrawn(element)
      ? (element as SVGElement).tabIndex >= 0 && element.hasAttribute('tabindex')
      : element.hasAttribute('tabindex')
  )
    return true;
  const isHand = (one: Element | null) =>
    one !== null && getComputedStyle(one).cursor === 'pointer';
  // Content of a label or link is clicked together with it.
  return isHand(element) && !isHand(element.parentElement) && element.localName !== 'label';
}

function statesOf(element: Element, writer: Writer): string[] {
  const is = (name: string) => element.getAttribute(`aria-${name}`);
  const states: string[] = [];
  const level = /^h([1-6])$/.exec(element.localName)?.[1] ?? is('level');
  if (level) states.push(`level=${level}`);
  if (element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type)) {
    if (element.checked) states.push('checked');
  } else if (isField(element) && element.value !== '' && roleOf(element) !== 'button') {
    states.push(`value=${JSON.stringify(writer.shorten(clean(valueOf(element))))}`);
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
