// The part of the page that is shown, and boxes within it that scroll.
import type { PreviewRest } from '../../../../../core/host-ports/preview.ts';
import type { FrameView } from '../messages.ts';
import { nextFrame } from './next-frame.ts';

export type Axis = 'x' | 'y';

export function getPage(): Element {
  return document.scrollingElement ?? document.documentElement;
}

export function readView(): FrameView {
  return { width: window.innerWidth, height: window.innerHeight, ...readRest(getPage()) };
}

/** What isn't shown of a box's content. */
export function readRest(box: Element): PreviewRest {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = box;
  return {
    above: toCount(scrollTop),
    below: toCount(scrollHeight - scrollTop - clientHeight),
    // Where text runs from right to left, a box is scrolled to less than 0.
    left: toCount(scrollLeft >= 0 ? scrollLeft : scrollWidth - clientWidth + scrollLeft),
    right: toCount(scrollLeft >= 0 ? scrollWidth - scrollLeft - clientWidth : -scrollLeft),
  };
}

export function toCount(pixels: number): number {
  return Math.max(0, Math.round(pixels));
}

/** True if a person can scroll the element itself. The page isn't meant: its element is the document's. */
export function isScroller(element: Element, axis: Axis): boolean {
  if (element === document.documentElement || element === getPage()) return false;
  if (!hasRest(element, axis)) return false;
  // The overflow of the body is the page's, unless the root element has one.
  if (element === document.body && overflowOf(document.documentElement, axis) === 'visible') {
    return false;
  }
  return /auto|scroll/.test(overflowOf(element, axis));
}

/** True if a person can scroll the page. */
export function isPageScrolled(axis: Axis): boolean {
  const root = overflowOf(document.documentElement, axis);
  const overflow = root === 'visible' ? overflowOf(document.body, axis) : root;
  return hasRest(getPage(), axis) && !/hidden|clip/.test(overflow);
}

function hasRest(box: Element, axis: Axis): boolean {
  // Sizes are rounded.
  return axis === 'x'
    ? box.scrollWidth > box.clientWidth + 1
    : box.scrollHeight > box.clientHeight + 1;
}

function overflowOf(element: Element, axis: Axis): string {
  return getComputedStyle(element).getPropertyValue(`overflow-${axis}`);
}

/** In shadow trees and slots, too. */
export function parentOf(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot;
  const parent = element.parentNode;
  return parent instanceof ShadowRoot ? parent.host : element.parentElement;
}

/** What is there in the viewport, in shadow trees, too. */
export function findAt(x: number, y: number): Element | null {
  let found = document.elementFromPoint(x, y);
  while (found?.shadowRoot) {
    const inside = found.shadowRoot.elementFromPoint(x, y);
    if (!inside || inside === found) break;
    found = inside;
  }
  return found;
}

// 2 s: the browser changes a frame's size by itself.
const sizeMs = 2_000;
const lookMs = 20;

/** Resolves when the page has the size, and was told of it. */
export async function comeToSize(width: number, height: number): Promise<void> {
  const began = performance.now();
  const has = () =>
    // A place may be wider by a part of a pixel.
    Math.abs(window.innerWidth - width) <= 1 && Math.abs(window.innerHeight - height) <= 1;
  while (!has() && performance.now() - began < sizeMs) {
    await later(lookMs);
  }
  await nextFrame();
}

/** True if it is in the element, in shadow trees, too. */
export function isWithin(inner: Element | null, outer: Element): boolean {
  for (let at = inner; at; at = parentOf(at)) if (at === outer) return true;
  return false;
}

export function middleOf(element: Element): readonly [x: number, y: number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

export function later(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}
