// Scrolls the page, or a box within it, as a wheel over it does.
import type { PreviewScroll } from '../../../../../core/host-ports/preview.ts';
import {
  findAt,
  getPage,
  isPageScrolled,
  isScroller,
  middleOf,
  parentOf,
  type Axis,
} from './view.ts';

/** What a key for a page leaves of what was shown before: an eighth. */
const pagePart = 7 / 8;

interface Scrolling {
  /** What the wheel is over, or what has the focus. Left out: the page is meant. */
  readonly element?: Element;
  /** A key does it: it turns no wheel, and may do nothing. */
  readonly isKey?: boolean;
}

/** @throws Error if nothing there can be scrolled so */
export function scroll(
  { direction = 'down', amount }: PreviewScroll,
  { element, isKey = false }: Scrolling,
): void {
  const axis: Axis = direction === 'left' || direction === 'right' ? 'x' : 'y';
  const sign = direction === 'up' || direction === 'left' ? -1 : 1;
  const [x, y] = element ? middleOf(element) : [window.innerWidth / 2, window.innerHeight / 2];
  const under = element ?? findAt(x, y) ?? document.body;
  const box = findBox(under, axis, element !== undefined);
  const whole = box ?? getPage();
  const size = axis === 'x' ? whole.clientWidth : whole.clientHeight;
  const delta = sign * (amount ?? Math.round(size * pagePart));
  const [deltaX, deltaY] = axis === 'x' ? [delta, 0] : [0, delta];
  const wheel = { bubbles: true, cancelable: true, composed: true, clientX: x, clientY: y };
  // An app may do something else by it: a map, or a canvas.
  const turn = new WheelEvent('wheel', { ...wheel, deltaX, deltaY });
  if (!isKey && !under.dispatchEvent(turn)) return;
  const before = box && [box.scrollLeft, box.scrollTop];
  box?.scrollBy({ left: deltaX, top: deltaY, behavior: 'instant' });
  if (isKey || (box && (box.scrollLeft !== before?.[0] || box.scrollTop !== before[1]))) return;
  throw new Error(`Nothing can be scrolled further ${direction} there.`);
}

function findBox(under: Element, axis: Axis, isNamed: boolean): Element | undefined {
  // Without a name, the page is meant. Where it doesn't scroll, a box in it takes its place.
  if (!isNamed && isPageScrolled(axis)) return getPage();
  for (let at: Element | null = under; at; at = parentOf(at)) {
    if (isScroller(at, axis)) return at;
  }
  if (isPageScrolled(axis)) return getPage();
  return isNamed ? undefined : findLargest(axis);
}

function findLargest(axis: Axis): Element | undefined {
  const areaOf = ({ clientWidth, clientHeight }: Element) => clientWidth * clientHeight;
  const all = [...document.querySelectorAll('*')].filter((one) => isScroller(one, axis));
  return all.toSorted((one, other) => areaOf(other) - areaOf(one))[0];
}
